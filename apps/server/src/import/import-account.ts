import { randomBytes, randomUUID } from 'node:crypto';
import { type AccountApi, type Json, LostAnswer } from '../command-line/account-api.ts';
import { CommandFailure } from '../command-line/command.ts';
import { type ExportedObject, isTrue, referenced } from './read-export.ts';
import { type SectionName, sections } from './sections.ts';
import { type ImportJournal, type ImportStep, pathOf, undone } from './unfinished-import.ts';

/** An object that was created. */
export interface ImportedObject {
  readonly section: SectionName;
  /** Its identifier in the file, and here. */
  readonly from: string;
  readonly id: string;
  /** The username that its phone or system uses here. */
  readonly username?: string;
  readonly password?: string;
  readonly sip_uri?: string;
  readonly trunk_domain?: string;
}

/**
 * Creates every object, one after another. When one is refused, when `finish` fails or `signal` aborts, everything that was created is
 * removed, and the failure says so. The journal has what a killed import leaves to undo.
 */
export async function importAccount(
  api: AccountApi,
  objects: readonly ExportedObject[],
  { journal, signal }: { readonly journal: ImportJournal; readonly signal: AbortSignal },
  finish: (imported: readonly ImportedObject[]) => void,
): Promise<void> {
  const imported: ImportedObject[] = [];
  const ids = new Map<string, string>();
  try {
    // A server that cannot be reached has done nothing: no step is noted, and none is left to undo.
    await api.request('GET', '');
    for (const step of await replacedDefaults(api, objects)) journal.begin(step);
    for (const object of objects) {
      if (signal.aborted) throw new CommandFailure('The import was interrupted.');
      const created = await create(api, object, ids, journal);
      ids.set(`${object.section} ${object.from}`, created.id);
      imported.push(await completed(api, object, created));
    }
    finish(imported);
  } catch (error) {
    const remaining = await undone(api, journal.begun());
    if (remaining.length === 0) journal.remove();
    if (!(error instanceof Error)) throw error;
    throw new CommandFailure(
      remaining.length === 0
        ? `${error.message}\nNothing was imported.`
        : `${error.message}\nThese could not be undone, and the next import of this file tries again:\n${remaining.join('\n')}`,
    );
  }
  journal.remove();
}

async function create(
  api: AccountApi,
  object: ExportedObject,
  ids: ReadonlyMap<string, string>,
  journal: ImportJournal,
): Promise<ImportedObject> {
  const { section, from, path: at } = object;
  const { path, id: idName, hasNewPassword } = sections[section];
  const password = hasNewPassword ? randomBytes(12).toString('base64url') : undefined;
  const body = { ...bodyOf(object, ids), ...(password === undefined ? {} : { password }) };
  const step = { does: 'create', path, body, key: randomUUID(), id: idName, at } as const;
  journal.begin(step);
  const answer = await refusedAt(object, () => api.create(path, body, step.key)).catch((error: unknown) => {
    // It may exist where the answer was lost.
    if (!(error instanceof LostAnswer)) journal.refused();
    throw error;
  });
  journal.created(pathOf(step, answer));
  const id = String(answer[idName]);
  return { section, from, id, ...(password === undefined ? {} : { password }) };
}

/** Parameters of the creation. */
function bodyOf({ section, members }: ExportedObject, ids: ReadonlyMap<string, string>): Json {
  const { settings, references } = sections[section];
  const body: Record<string, unknown> = {};
  for (const [member, parameter] of Object.entries(settings)) {
    const value = members[member];
    if (value !== undefined && value !== null) body[parameter] = value;
  }
  // docs/interface/endpoints.md#usernames: the server appends twelve digits of its own.
  if (section === 'endpoints') body.username = String(members.username).replace(/\d{12}$/, '');
  for (const [member, { section: other, parameter }] of Object.entries(references)) {
    const id = referenced(members[member]);
    if (id !== undefined) body[parameter] = ids.get(`${other} ${id}`);
  }
  return body;
}

/** What its user needs and the answer to the creation does not have. */
async function completed(
  api: AccountApi,
  object: ExportedObject,
  created: ImportedObject,
): Promise<ImportedObject> {
  const one = `${sections[object.section].path}${created.id}/`;
  switch (object.section) {
    case 'endpoints': {
      // Without an application here too, where the account has a default one for new endpoints.
      if (referenced(object.members.application) === undefined)
        await refusedAt(object, () => api.request('POST', one, { app_id: null }));
      const { username, sip_uri } = await api.request('GET', one);
      return { ...created, username: String(username), sip_uri: String(sip_uri) };
    }
    case 'credentials':
      return { ...created, username: String(object.members.username) };
    case 'trunks':
      return { ...created, trunk_domain: String((await api.request('GET', one)).trunk_domain) };
    default:
      return created;
  }
}

/** A new default application replaces the one before, which an undo makes the default again. */
async function replacedDefaults(
  api: AccountApi,
  objects: readonly ExportedObject[],
): Promise<readonly ImportStep[]> {
  const flags = (
    [
      ['default_app', 'default_number_app'],
      ['default_endpoint_app', 'default_endpoint_app'],
    ] as const
  ).filter(([member]) =>
    objects.some(({ section, members }) => section === 'applications' && isTrue(members[member])),
  );
  if (flags.length === 0) return [];
  const applications = await api.list<Json>('Application/', {}, Number.MAX_SAFE_INTEGER);
  return flags.flatMap(([member, parameter]): readonly ImportStep[] => {
    const before = applications.find((application) => application[member] === true);
    if (before === undefined) return [];
    const path = `Application/${String(before.app_id)}/`;
    return [{ does: 'replace', path, body: { [parameter]: true } }];
  });
}

/** A refusal of the API begins with the parameter: the sentence gets the path of the member in the file. */
async function refusedAt<Answer>(
  { section, path }: ExportedObject,
  request: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof CommandFailure) || error instanceof LostAnswer) throw error;
    const { settings, references } = sections[section];
    const members = new Map([
      ...Object.entries(settings).map(([member, parameter]) => [parameter, member] as const),
      ...Object.entries(references).map(([member, { parameter }]) => [parameter, member] as const),
    ]);
    const [parameter = ''] = /^[a-z_]+(?= )/.exec(error.message) ?? [];
    const member = members.get(parameter);
    throw new CommandFailure(
      member === undefined
        ? `${path}: ${error.message}`
        : `${path}.${member}${error.message.slice(parameter.length)}`,
    );
  }
}
