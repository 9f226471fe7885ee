import type { Database, InboundTrunk, OwnNumbers, Write } from '@jackfield/ports';
import { rowLookup } from '../../../kernel/row-lookup.ts';
import { type NumberRow, tablesOf } from '../tables.ts';

/** The owner of a number, and the destination of calls to it. */
export interface HeldNumber {
  readonly account: string;
  readonly mainAccount: string;
  readonly application: string | null;
  readonly trunk: string | null;
}

/** Where numbers lead. Looked up per call, so that a change holds for the next call. */
export interface NumberDestinations extends OwnNumbers {
  /** `number` is E.164, with or without +; undefined for an unknown number, and for any other text. */
  heldOf(number: string): Promise<HeldNumber | undefined>;
  /** The account of a carrier's call to this number: its owner's, else the operator's; undefined while the platform starts. */
  accountOf(number: string): Promise<string | undefined>;
  /** Whether calls to the number go to a trunk. */
  leadsToTrunk(number: string): Promise<boolean>;
}

export interface DestinationDeps {
  readonly database: Pick<Database, 'read'>;
  /** The present targets of an inbound trunk for a number. */
  readonly inboundTrunks: {
    trunkOf(trunkId: string, number: string): Promise<InboundTrunk | undefined>;
  };
  /** The same when its account is active, otherwise undefined. */
  readonly ifActive: <Owned extends { readonly account: string }>(
    owned: Owned | undefined,
  ) => Promise<Owned | undefined>;
  /** The first account; undefined while the platform starts. */
  readonly operator: () => string | undefined;
}

const e164 = /^\+?([1-9][0-9]{6,14})$/;

export function createDestinations(deps: DestinationDeps): NumberDestinations {
  const { inboundTrunks, ifActive, operator } = deps;
  const compiled = tablesOf(deps.database.read)
    .selectFrom('numbers')
    .select(['account', 'main_account', 'app_id', 'trunk_id'])
    .where('number', '=', '')
    .compile();
  const rowOf = rowLookup<Pick<NumberRow, 'account' | 'main_account' | 'app_id' | 'trunk_id'>>(
    deps.database,
    compiled,
  );

  async function heldOf(number: string): Promise<HeldNumber | undefined> {
    const digits = e164.exec(number)?.[1];
    if (digits === undefined) return undefined;
    const row = await rowOf(`+${digits}`);
    if (row === undefined) return undefined;
    const { account, main_account, app_id, trunk_id } = row;
    return { account, mainAccount: main_account, application: app_id, trunk: trunk_id };
  }

  return {
    heldOf,
    accountOf: async (number) => (await heldOf(number))?.account ?? operator(),
    leadsToTrunk: async (number) => ((await heldOf(number))?.trunk ?? null) !== null,
    async trunkOf(number) {
      const held = await heldOf(number);
      if (held === undefined || held.trunk === null) return undefined;
      const trunk = await ifActive(await inboundTrunks.trunkOf(held.trunk, number));
      // A trunk that has become outbound accepts no calls, and no other destination gets them.
      return (
        trunk ?? { trunk: held.trunk, account: held.account, mainAccount: held.mainAccount, targets: [] }
      );
    },
  };
}

export type DetachedNumber = Pick<NumberRow, 'number' | 'account' | 'main_account'>;

/** What becomes of numbers when their destination is deleted; in the transaction of the deletion. */
export interface AttachedNumbers {
  /** Gives the numbers that lost their destination, oldest first. */
  detachTrunks(write: Write, trunkIds: readonly string[]): Promise<readonly DetachedNumber[]>;
  detachApplications(write: Write, applicationIds: readonly string[]): Promise<void>;
}

// Databases limit the parameters of a statement.
const detachedAtOnce = 500;

/** Needs the transaction alone, so that trunks and applications use numbers, and numbers use them, without a circle. */
export const attachedNumbers: AttachedNumbers = {
  async detachTrunks(write, trunkIds) {
    const detached: (DetachedNumber & { readonly position: number })[] = [];
    for (let at = 0; at < trunkIds.length; at += detachedAtOnce) {
      const rows = await tablesOf(write)
        .updateTable('numbers')
        .set({ trunk_id: null })
        .where('trunk_id', 'in', trunkIds.slice(at, at + detachedAtOnce))
        .returning(['number', 'account', 'main_account', 'position'])
        .execute();
      detached.push(...rows);
    }
    return detached.sort((one, other) => one.position - other.position);
  },
  async detachApplications(write, applicationIds) {
    for (let at = 0; at < applicationIds.length; at += detachedAtOnce) {
      await tablesOf(write)
        .updateTable('numbers')
        .set({ app_id: null })
        .where('app_id', 'in', applicationIds.slice(at, at + detachedAtOnce))
        .execute();
    }
  },
};
