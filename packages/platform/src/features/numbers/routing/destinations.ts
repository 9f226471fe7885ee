import type { Database, InboundTrunk, OwnNumbers, Write } from '@jackfield/ports';
import type { CompiledQuery } from 'kysely';
import { type NumberRow, tablesOf } from '../tables.ts';

/** Who has a number, and what takes its calls. */
export interface HeldNumber {
  readonly account: string;
  readonly mainAccount: string;
  readonly application: string | null;
  readonly trunk: string | null;
}

/** Where numbers lead: the one place that knows. Looked up per call, so that a change holds for the next one. */
export interface NumberDestinations extends OwnNumbers {
  /** `number` is E.164, with or without +; undefined for one that nobody has, and for what is no number. */
  heldOf(number: string): Promise<HeldNumber | undefined>;
  /** Whose a call to this number is that a carrier hands over: its holder's, else the operator's; undefined while the platform starts. */
  accountOf(number: string): Promise<string | undefined>;
  /** Whether a telephone system behind a trunk takes the calls of the number. */
  leadsToTrunk(number: string): Promise<boolean>;
}

export interface DestinationDeps {
  readonly database: Pick<Database, 'read'>;
  /** Where an inbound trunk takes a call for a number right now. */
  readonly inboundTrunks: {
    trunkOf(trunkId: string, number: string): Promise<InboundTrunk | undefined>;
  };
  /** Gives back what belongs to an active account, and undefined for what does not. */
  readonly ifActive: <Owned extends { readonly account: string }>(
    owned: Owned | undefined,
  ) => Promise<Owned | undefined>;
  /** The first account; undefined while the platform starts. */
  readonly operator: () => string | undefined;
}

const e164 = /^\+?([1-9][0-9]{6,14})$/;

export function createDestinations(deps: DestinationDeps): NumberDestinations {
  const { inboundTrunks, ifActive, operator } = deps;
  const { read } = deps.database;
  // Building the query costs more than running it.
  const compiled = tablesOf(read)
    .selectFrom('numbers')
    .select(['account', 'main_account', 'app_id', 'trunk_id'])
    .where('number', '=', '')
    .compile();

  async function heldOf(number: string): Promise<HeldNumber | undefined> {
    const digits = e164.exec(number)?.[1];
    if (digits === undefined) return undefined;
    const query = { ...compiled, parameters: [`+${digits}`] } as unknown as CompiledQuery<NumberRow>;
    const row = (await read.executeQuery(query)).rows[0];
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
      // One that has become outbound takes no calls, and they are nobody else's either.
      return (
        trunk ?? { trunk: held.trunk, account: held.account, mainAccount: held.mainAccount, targets: [] }
      );
    },
  };
}

/** What becomes of numbers when what they are attached to goes; in the transaction of its deletion. */
export interface AttachedNumbers {
  /** Gives the numbers that are left without a destination, oldest first. */
  detachTrunks(write: Write, trunkIds: readonly string[]): Promise<readonly string[]>;
  detachApplications(write: Write, applicationIds: readonly string[]): Promise<void>;
}

// Databases limit the parameters of a statement.
const detachedAtOnce = 500;

/** Needs nothing but the transaction, so that trunks and applications know numbers and numbers know them without a circle. */
export const attachedNumbers: AttachedNumbers = {
  async detachTrunks(write, trunkIds) {
    const detached: { readonly number: string; readonly position: number }[] = [];
    for (let at = 0; at < trunkIds.length; at += detachedAtOnce) {
      const rows = await tablesOf(write)
        .updateTable('numbers')
        .set({ trunk_id: null })
        .where('trunk_id', 'in', trunkIds.slice(at, at + detachedAtOnce))
        .returning(['number', 'position'])
        .execute();
      detached.push(...rows);
    }
    return detached.sort((one, other) => one.position - other.position).map(({ number }) => number);
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
