import type { Database, Write } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { Outbox } from '../../kernel/outbox.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { OwnedRows } from '../accounts/index.ts';
import { type DetachedNumber, deletedEvents, detachedEvents } from './events.ts';
import type { TrunkStore } from './store.ts';
import type { TrunkingRow, TrunkReferences } from './tables.ts';

export interface DeletionDeps {
  readonly database: Database;
  readonly store: TrunkStore;
  /** Detaches the numbers of deleted trunks, and gives them; absent where there are no numbers. */
  readonly detachNumbers?:
    | ((write: Write, trunkIds: readonly string[]) => Promise<readonly DetachedNumber[]>)
    | undefined;
  /** Absent where there is no event stream. */
  readonly outbox?: Pick<Outbox, 'appendEvents' | 'wake'> | undefined;
}

type Part = keyof Pick<TrunkStore, 'credentials' | 'addressLists' | 'uris'>;

/** The columns of trunks that name a part, and its name in sentences. */
const parts = {
  credentials: { thing: 'trunk credential', columns: ['credential_uuid'] },
  addressLists: { thing: 'IP access control list', columns: ['ipacl_uuid'] },
  uris: { thing: 'origination URI', columns: ['primary_uri_uuid', 'fallback_uri_uuid'] },
} as const satisfies Record<
  Part,
  { readonly thing: string; readonly columns: readonly (keyof TrunkReferences)[] }
>;

export const thingOf = (part: Part): string => parts[part].thing;

/** Deletes a part and detaches it from its trunks, which events name. */
export async function removePart(
  deps: DeletionDeps,
  account: RequestAccount,
  part: Part,
  id: string,
): Promise<Result<undefined>> {
  const { database, store, outbox } = deps;
  const rows: OwnedRows<TrunkingRow> = store[part] as OwnedRows<never>;
  const found = await database.transact(async (write) => {
    const row = await rows.read(write, account, id);
    if (row === undefined) return false;
    await rows.remove(write, row);
    await detach(deps, write, part, row);
    return true;
  });
  if (!found) return refused(notFound(parts[part].thing, id));
  outbox?.wake();
  return accepted(undefined);
}

/** Deletes a trunk and detaches its numbers, in one transaction. */
export async function removeTrunk(
  deps: DeletionDeps,
  account: RequestAccount,
  trunkId: string,
): Promise<Result<undefined>> {
  const { database, store, outbox } = deps;
  const isGone = await database.transact(async (write) => {
    const row = await store.trunks.read(write, account, trunkId);
    if (row === undefined) return false;
    await store.trunks.remove(write, row);
    const numbers = await deps.detachNumbers?.(write, [row.id]);
    await outbox?.appendEvents(write, deletedEvents(row, numbers ?? []));
    return true;
  });
  if (!isGone) return refused(notFound('trunk', trunkId));
  outbox?.wake();
  return accepted(undefined);
}

/** Deletes what a subaccount owns. Its main account may have attached some of these parts to trunks of its own. */
export async function removeAllOf(deps: DeletionDeps, write: Write, subaccount: string): Promise<void> {
  const { store } = deps;
  const trunks = await store.trunks.removeAll(write, subaccount);
  await deps.detachNumbers?.(
    write,
    trunks.map(({ id }) => id),
  );
  for (const part of ['credentials', 'addressLists', 'uris'] as const) {
    for (const row of await store[part].removeAll(write, subaccount)) await detach(deps, write, part, row);
  }
}

export async function passOnAllOf({ store }: DeletionDeps, write: Write, subaccount: string): Promise<void> {
  for (const part of ['credentials', 'addressLists', 'uris', 'trunks'] as const) {
    await store[part].passOn(write, subaccount);
  }
}

async function detach(
  { store, outbox }: DeletionDeps,
  write: Write,
  part: Part,
  row: TrunkingRow,
): Promise<void> {
  const events: OutboxEvent[] = [];
  for (const column of parts[part].columns) {
    events.push(...detachedEvents(column, row, await store.detach(write, column, row.id)));
  }
  if (events.length > 0) await outbox?.appendEvents(write, events);
}
