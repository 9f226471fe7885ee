import { type NewTrunk, readBoolean, readOneOf, trunkDirections, trunkStatuses } from '@jackfield/contract';
import type { Instant, Write } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import { newDigits } from '../../kernel/ids.ts';
import { invalidParameter, notFound, type Problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { type CommandDeps, missing } from './commands.ts';
import { thingOf } from './deletion-commands.ts';
import type { TrunkStore } from './store.ts';
import type { TrunkReferences, TrunkRow } from './tables.ts';

/** docs/interface/trunks.md#identifiers allows 14 to 18; with 17 nobody finds one by trying. */
const idLength = 17;

const referred = {
  credential_uuid: 'credentials',
  ipacl_uuid: 'addressLists',
  primary_uri_uuid: 'uris',
  fallback_uri_uuid: 'uris',
} as const satisfies Record<keyof TrunkReferences, keyof TrunkStore>;
// In one order, so that two transactions that lock what they attach do not wait for each other.
const referenceNames = Object.keys(referred) as readonly (keyof TrunkReferences)[];

type Settings = TrunkReferences &
  Pick<TrunkRow, 'name' | 'trunk_direction' | 'trunk_status' | 'secure' | 'lost_credential_uuid'>;

export async function createTrunk(
  deps: CommandDeps,
  account: RequestAccount,
  wish: NewTrunk,
  now: Instant,
): Promise<Result<string>> {
  const direction = readOneOf(trunkDirections, wish.trunk_direction);
  if (direction === undefined) return refused(missing('trunk_direction'));
  const settings = changedSettings({ ...newTrunk, trunk_direction: direction }, wish);
  const lacking = lackingOf(settings);
  if (lacking !== undefined) return refused(lacking);
  return deps.database.transact(async (write) => {
    const unknown = await unknownReference(deps, write, account, wish);
    if (unknown !== undefined) return refused(unknown);
    const row: TrunkRow = {
      ...settings,
      id: newDigits(idLength, deps.secrets),
      account: account.authId,
      main_account: account.main,
      created_at: now,
    };
    await deps.store.trunks.insert(write, row);
    return accepted(row.id);
  });
}

export async function changeTrunk(
  deps: CommandDeps,
  account: RequestAccount,
  trunkId: string,
  wish: NewTrunk,
): Promise<Result<undefined>> {
  const { trunks } = deps.store;
  return deps.database.transact(async (write) => {
    // What it is to have comes first: a deletion locks that, and then the trunks.
    const unknown = await unknownReference(deps, write, account, wish);
    const before = await trunks.read(write, account, trunkId);
    if (before === undefined) return refused(notFound('trunk', trunkId));
    if (unknown !== undefined) return refused(unknown);
    const { id, account: owner, main_account, created_at, ...settings } = before;
    const after = changedSettings(settings, wish);
    // A trunk that has lost its credential can still be renamed or disabled.
    const isTouched = [wish.trunk_direction, ...referenceNames.map((name) => wish[name])].some(
      (value) => value !== undefined,
    );
    const lacking = isTouched ? lackingOf(after) : undefined;
    if (lacking !== undefined) return refused(lacking);
    await trunks.change(write, id, after);
    return accepted(undefined);
  });
}

const newTrunk: Omit<Settings, 'trunk_direction'> = {
  name: '',
  trunk_status: 'enabled',
  secure: 0,
  ipacl_uuid: null,
  credential_uuid: null,
  primary_uri_uuid: null,
  fallback_uri_uuid: null,
  lost_credential_uuid: null,
};

function changedSettings(before: Settings, wish: NewTrunk): Settings {
  const secure = readBoolean(wish.secure);
  const changed = Object.fromEntries(
    referenceNames.flatMap((name) =>
      wish[name] === undefined ? [] : [[name, wish[name]?.toLowerCase() || null]],
    ),
  ) as Partial<TrunkReferences>;
  return {
    ...before,
    ...changed,
    name: wish.name ?? before.name,
    trunk_direction: readOneOf(trunkDirections, wish.trunk_direction) ?? before.trunk_direction,
    trunk_status: readOneOf(trunkStatuses, wish.trunk_status) ?? before.trunk_status,
    secure: secure === undefined ? before.secure : secure ? 1 : 0,
    // What was lost is not missed any more once somebody has decided what the trunk has instead.
    lost_credential_uuid: wish.credential_uuid === undefined ? before.lost_credential_uuid : null,
  };
}

function lackingOf({ trunk_direction, credential_uuid, ipacl_uuid, primary_uri_uuid }: Settings) {
  if (trunk_direction === 'inbound')
    return primary_uri_uuid === null ? missing('primary_uri_uuid') : undefined;
  return credential_uuid === null && ipacl_uuid === null
    ? missing('credential_uuid or ipacl_uuid')
    : undefined;
}

async function unknownReference(
  { store }: CommandDeps,
  write: Write,
  account: RequestAccount,
  wish: NewTrunk,
): Promise<Problem | undefined> {
  for (const name of referenceNames) {
    const id = wish[name];
    if (!id) continue;
    const part = referred[name];
    if ((await store[part].read(write, account, id)) === undefined) {
      return invalidParameter(name, id, `the identifier of one of your ${thingOf(part)}s`);
    }
  }
  return undefined;
}
