import type { Recordings } from '../../recordings/index.ts';
import type { Instruction } from '../domain/instruction.ts';
import type { PlannedElement } from '../domain/planned-element.ts';

export interface PlanDeps {
  readonly newUuid: () => string;
  readonly recordings: Pick<Recordings, 'urlOf'>;
}

/** Gives names to the legs, recordings and streams that the elements of a document may start. */
export function planDocument(
  instructions: readonly Instruction[],
  account: string,
  deps: PlanDeps,
): readonly PlannedElement[] {
  return instructions.map((instruction) => {
    switch (instruction.element) {
      case 'Record': {
        const uuid = deps.newUuid();
        const url = deps.recordings.urlOf({ recording: uuid, account, format: instruction.format });
        return { instruction, recording: { uuid, url }, legs: [] };
      }
      case 'Dial':
        return { instruction, recording: null, legs: instruction.destinations.map(deps.newUuid) };
      case 'Stream':
        return { instruction, recording: null, legs: [], stream: deps.newUuid() };
      default:
        return { instruction, recording: null, legs: [] };
    }
  });
}
