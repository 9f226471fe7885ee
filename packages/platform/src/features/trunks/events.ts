import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { DetachedTrunk } from './store.ts';
import type { TrunkingRow, TrunkReferences, TrunkRow } from './tables.ts';

type Owner = Pick<TrunkRow, 'account' | 'main_account'>;

/** A number that led to a deleted trunk. */
export type DetachedNumber = Owner & { readonly number: string };

/** Parts of trunks that can be deleted: the column that names a part, and its name in events. */
const attached = {
  credential_uuid: { name: 'credential', id: 'credential_uuid' },
  ipacl_uuid: { name: 'ip-access-control-list', id: 'ipacl_uuid' },
  primary_uri_uuid: { name: 'primary-uri', id: 'uri_uuid' },
  fallback_uri_uuid: { name: 'fallback-uri', id: 'uri_uuid' },
} as const satisfies Record<keyof TrunkReferences, { readonly name: string; readonly id: string }>;

/** Trunks or numbers that an event names; a field beside the list has their total. */
const mostNamed = 100;

/** `trunk.credential-deleted` and its like, to each account with those of its trunks that lost the part. */
export function detachedEvents(
  column: keyof TrunkReferences,
  gone: TrunkingRow,
  trunks: readonly DetachedTrunk[],
): readonly OutboxEvent[] {
  const { name, id } = attached[column];
  return byAccount(trunks).map(({ owner, own }) => ({
    type: `trunk.${name}-deleted`,
    ...owner,
    resource: `trunk-resource/${gone.id}`,
    payload: {
      [id]: gone.id,
      name: gone.name,
      trunks: own.length,
      trunk_ids: own.slice(0, mostNamed).map((trunk) => trunk.id),
    },
  }));
}

/**
 * `trunk.deleted`: calls through it and to its numbers are refused from now on. To the account of the trunk, and to each other account
 * with numbers that led to it, with its own numbers.
 */
export function deletedEvents(trunk: TrunkRow, numbers: readonly DetachedNumber[]): readonly OutboxEvent[] {
  return byAccount(numbers, [trunk]).map(({ owner, own }) => ({
    type: 'trunk.deleted',
    ...owner,
    resource: `trunk/${trunk.id}`,
    payload: {
      trunk_id: trunk.id,
      name: trunk.name,
      trunk_direction: trunk.trunk_direction,
      numbers: own.length,
      number_list: own.slice(0, mostNamed).map(({ number }) => number),
    },
  }));
}

/** The rows of each account, which does not see those of another one; of `gone` first, where it is given. */
function byAccount<Row extends Owner>(rows: readonly Row[], gone: readonly Owner[] = []) {
  const own = Map.groupBy(rows, ({ account }) => account);
  const owners = new Map([...gone, ...rows].map(({ account, main_account }) => [account, main_account]));
  return [...owners].map(([account, mainAccount]) => ({
    owner: { account, mainAccount },
    own: own.get(account) ?? [],
  }));
}
