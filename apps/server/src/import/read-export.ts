import { withLines } from '@jackfield/platform/json-lines';
import { isJsonObject } from '../command-line/read-json-file.ts';
import { type SectionName, sectionNames, sections } from './sections.ts';

export type Members = Readonly<Record<string, unknown>>;

/** One object of the file that is to be created. */
export interface ExportedObject {
  readonly section: SectionName;
  /** Where it is in the file: `applications[2]`. */
  readonly path: string;
  /** What identifies it in the file. */
  readonly from: string;
  readonly members: Members;
}

/** The objects in the order of creation, or every mistake that the file shows by itself. */
export type ReadExport =
  | { readonly ok: true; readonly objects: readonly ExportedObject[]; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** At most so many identifiers are listed in a refusal. */
const mostListed = 5;

/** Reads the file as a whole; each sentence names the path in it and what is allowed. */
export function readExport(text: string): ReadExport {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return { ok: false, problems: withLines(text, ['it is no JSON']) };
  }
  const allowed = `it must be an object with ${sectionNames.join(', ')}, each of which may be left out`;
  if (!isJsonObject(content)) return { ok: false, problems: [allowed] };
  const problems = Object.keys(content)
    .filter((name) => !isSectionName(name))
    .map((name) => `${name} is not imported: ${allowed}`);
  const objects = sectionNames.flatMap((name) => readSection(name, content[name], problems));
  checkIdentifiers(objects, problems);
  const known = new Map(
    sectionNames.map((name) => [
      name,
      new Set(objects.filter(({ section }) => section === name).map(({ from }) => from)),
    ]),
  );
  for (const object of objects) checkMembers(object, known, problems);
  checkDefaults(objects, problems);
  if (problems.length === 0 && objects.length === 0) problems.push(`it holds no object: ${allowed}`);
  return problems.length > 0
    ? { ok: false, problems: withLines(text, problems) }
    : { ok: true, objects, warnings: leftOut(objects) };
}

/** The identifier in a reference: `/v1/Account/<auth_id>/Application/<app_id>/`, or the identifier alone. */
export function referenced(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return value.replace(/\/$/, '').split('/').at(-1);
}

/** A list of objects, or the answer of the API that holds one. */
function readSection(name: SectionName, value: unknown, problems: string[]): readonly ExportedObject[] {
  if (value === undefined) return [];
  const list = isJsonObject(value) ? value.objects : value;
  const at = isJsonObject(value) ? `${name}.objects` : name;
  if (!Array.isArray(list)) {
    problems.push(
      `${at} must be a list of objects, or an answer of the API with objects, not ${shown(list)}`,
    );
    return [];
  }
  const next = isJsonObject(value) && isJsonObject(value.meta) ? value.meta.next : null;
  if (next !== null && next !== undefined) {
    const sentence = `${name}.meta.next is ${shown(next)}, so the list is not complete: put the objects of every page into one list`;
    problems.push(sentence);
  }
  return list.flatMap((members: unknown, index): readonly ExportedObject[] => {
    const path = `${at}[${index}]`;
    const { id } = sections[name];
    if (!isJsonObject(members)) problems.push(`${path} must be an object, not ${shown(members)}`);
    else if (typeof members[id] !== 'string' || members[id] === '')
      problems.push(`${path}.${id} must be the identifier of the object, a text, not ${shown(members[id])}`);
    else return [{ section: name, path, from: members[id], members }];
    return [];
  });
}

function checkIdentifiers(objects: readonly ExportedObject[], problems: string[]): void {
  const first = new Map<string, string>();
  for (const { section, path, from } of objects) {
    const key = `${section} ${from.replace(/^\+/, '')}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, path);
    else
      problems.push(
        `${path}.${sections[section].id} is ${shown(from)}, like that of ${other}: leave one of them out`,
      );
  }
}

function checkMembers(
  { section, path, members }: ExportedObject,
  known: ReadonlyMap<SectionName, ReadonlySet<string>>,
  problems: string[],
): void {
  if (members.sub_account !== undefined && members.sub_account !== null) {
    const sentence = `${path}.sub_account is ${shown(members.sub_account)}, but every object goes to one account: import those of a subaccount with its own credentials, from a file in which it is null`;
    problems.push(sentence);
  }
  if (section === 'applications' && members.enabled === false)
    problems.push(`${path}.enabled is false, but no application can be disabled: set true, or leave it out`);
  if (section === 'endpoints' && typeof members.username !== 'string')
    problems.push(`${path}.username must be a text, not ${shown(members.username)}`);
  for (const [member, { section: other }] of Object.entries(sections[section].references)) {
    const value = members[member];
    if (value === undefined || value === null || value === '') continue;
    const there = known.get(other) ?? new Set();
    const id = referenced(value);
    if (id !== undefined && there.has(id)) continue;
    const listed = [...there].slice(0, mostListed).join(', ') + (there.size > mostListed ? ', …' : '');
    const allowed = there.size === 0 ? `this file has no ${other}` : `${other} of this file has ${listed}`;
    problems.push(`${path}.${member} is ${shown(value)}: ${allowed}; null for none`);
  }
}

/** An account has at most one default application for numbers, and one for endpoints. */
function checkDefaults(objects: readonly ExportedObject[], problems: string[]): void {
  for (const flag of ['default_app', 'default_endpoint_app']) {
    const [first, ...others] = objects.filter(
      ({ section, members }) => section === 'applications' && isTrue(members[flag]),
    );
    for (const { path } of others)
      problems.push(
        `${path}.${flag} is true, like that of ${first?.path}: one application can be the default`,
      );
  }
}

/** Members that this version does not know are named once for each section. */
function leftOut(objects: readonly ExportedObject[]): readonly string[] {
  const names = objects.flatMap(({ section, members }) => {
    const { id, settings, references, decided } = sections[section];
    const known = new Set([id, ...Object.keys(settings), ...Object.keys(references), ...decided]);
    return Object.keys(members)
      .filter((name) => !known.has(name))
      .map((name) => `${section}[].${name} is not imported: Jackfield has no such setting`);
  });
  return [...new Set(names)];
}

/** The API reads booleans from text as well. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

function isSectionName(name: string): name is SectionName {
  return (sectionNames as readonly string[]).includes(name);
}

/** A value in a sentence, cut where it is long. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
