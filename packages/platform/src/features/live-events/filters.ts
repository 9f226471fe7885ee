import { eventStreamTypes } from '@jackfield/contract';
import { invalidParameter, type Problem } from '../../kernel/problem.ts';

const types = eventStreamTypes.map(({ type }) => type).toSorted();
const families = [...new Set(types.map((type) => familyOf(type)))];

/** A type that no event has would filter everything away, and look like a quiet account. */
export function problemOfType(type: string | undefined): Problem | undefined {
  if (type === undefined || types.includes(type) || families.includes(type)) return undefined;
  const family = familyOf(type);
  const allowed = families.includes(family)
    ? `${family} or ${types.filter((each) => familyOf(each) === family).join(', ')}`
    : `a family of events (${families.join(', ')}) or one of its types, such as call.answered`;
  return invalidParameter('type', type, allowed);
}

function familyOf(type: string): string {
  return type.split('.', 1).join();
}
