import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { TrunkingRow, TrunkReferences, TrunkRow } from './tables.ts';

/** Parts of trunks that can be deleted: the column that names a part, and its name in events. */
const attached = {
  credential_uuid: { name: 'credential', id: 'credential_uuid' },
  ipacl_uuid: { name: 'ip-access-control-list', id: 'ipacl_uuid' },
  primary_uri_uuid: { name: 'primary-uri', id: 'uri_uuid' },
  fallback_uri_uuid: { name: 'fallback-uri', id: 'uri_uuid' },
} as const satisfies Record<keyof TrunkReferences, { readonly name: string; readonly id: string }>;

/** Trunks or numbers that an event names; a field beside the list has their total. */
const mostNamed = 100;

/** `trunk.credential-deleted` and its like, with the trunks that lost the part. */
export function detachedEvent(
  column: keyof TrunkReferences,
  gone: TrunkingRow,
  trunkIds: readonly string[],
): OutboxEvent {
  const { name, id } = attached[column];
  return {
    type: `trunk.${name}-deleted`,
    account: gone.account,
    mainAccount: gone.main_account,
    resource: `trunk-resource/${gone.id}`,
    payload: {
      [id]: gone.id,
      name: gone.name,
      trunks: trunkIds.length,
      trunk_ids: trunkIds.slice(0, mostNamed),
    },
  };
}

/** `trunk.deleted`: calls through it and to its numbers are refused from now on. */
export function deletedEvent(trunk: TrunkRow, numbers: readonly string[]): OutboxEvent {
  return {
    type: 'trunk.deleted',
    account: trunk.account,
    mainAccount: trunk.main_account,
    resource: `trunk/${trunk.id}`,
    payload: {
      trunk_id: trunk.id,
      name: trunk.name,
      trunk_direction: trunk.trunk_direction,
      numbers: numbers.length,
      number_list: numbers.slice(0, mostNamed),
    },
  };
}
