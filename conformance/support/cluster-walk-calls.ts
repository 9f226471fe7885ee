import type { Read } from '@jackfield/ports';
import type { History, PhoneCall, SimulatedPhone, WatchedWrites } from '@jackfield/testkit';
import { sql } from 'kysely';
import type { WalkFaults } from './cluster-walk-faults.ts';

type Ends = WatchedWrites['ends'];

/** Time for a BYE and its answer between a phone and any node, where nothing is lost. */
const byeAnsweredMs = 1_000;

/** The cause of a call whose node has ended. */
const endedBySuccessor = 5010;

/** The calls of a walk: as their phones had them, beside their records. */
export class WalkCalls {
  readonly #phones: () => readonly SimulatedPhone[];
  readonly #faults: WalkFaults;
  /** Callers of the calls that the platform dials: each has a number of its own. */
  readonly #numbers = new Set<string>();
  /** Call-IDs of answered legs, also of calls between phones. */
  readonly #callIds = new Map<string, string>();
  /** Calls whose phone hung up while nothing could keep its BYE from the home node. */
  readonly #certain = new Set<PhoneCall>();

  constructor(phones: () => readonly SimulatedPhone[], faults: WalkFaults) {
    this.#phones = phones;
    this.#faults = faults;
  }

  /** The caller of a call that the platform is about to dial. */
  dials(number: string): void {
    this.#numbers.add(digitsOf(number));
  }

  hangUp(phone: SimulatedPhone): void {
    const calls = phone.calls.filter(({ end }) => end === undefined);
    const since = this.#faults.changes;
    if (this.#faults.isWellAt(phone.registrar))
      this.#faults.after(byeAnsweredMs, () => {
        if (this.#faults.changes !== since || !this.#faults.isWellAt(phone.registrar)) return;
        for (const call of calls) this.#certain.add(call);
      });
    phone.hangUp();
  }

  /** Notes the dialogs of live legs: an ended one has none. */
  async look(): Promise<void> {
    const { rows } = await sql<{ call_uuid: string; dialog: string }>`
      SELECT call_uuid, dialog FROM calls WHERE dialog IS NOT NULL`.execute(this.#read);
    for (const { call_uuid, dialog } of rows)
      this.#callIds.set(call_uuid, JSON.parse(dialog).snapshot.dialog.callId);
  }

  /** Hang-ups whose time bounds their bills. */
  get certainHangUps(): number {
    return this.#certain.size;
  }

  /** Of calls that the platform dialled. A node that was ended is billed for nothing since its fault. */
  async bills(ends: Ends): Promise<History['bills']> {
    const { rows } = await sql<{
      call_uuid: string;
      from_number: string;
      incarnation: number;
      answered_at: number | null;
      ended_at: number | null;
    }>`
      SELECT call_uuid, from_number, incarnation, answered_at, ended_at FROM calls`.execute(this.#read);
    return rows.flatMap(({ call_uuid: leg, from_number, incarnation, answered_at, ended_at }) => {
      const call = this.#callFrom(from_number);
      if (call?.answeredAt === undefined || answered_at === null || ended_at === null) return [];
      const home = this.#faults.nodeOf(Number(incarnation));
      const { silentFrom, atLatest } = this.#faults.lastHeartbeat(home, endOf(incarnation, ends)?.at ?? 0);
      const { heard, answeredAt } = call;
      const firstAt = heard.at(0)?.at ?? answeredAt;
      const lastAt = Math.min(heard.at(-1)?.at ?? firstAt, silentFrom);
      const heardMs = Math.max(0, lastAt - firstAt);
      const billedMs = Number(ended_at) - Number(answered_at);
      return [{ leg, billedMs, heardMs, upMs: Math.min(this.#knownUntil(call), atLatest) - answeredAt }];
    });
  }

  /** The calls that a phone is in, without those that no BYE could have ended, and the live rows of its legs. */
  async leftIn(
    name: string,
    phone: SimulatedPhone,
    lost: ReadonlySet<PhoneCall>,
  ): Promise<History['leftovers']['phones'][number]> {
    const named = `%${phone.username}%`;
    const { rows } = await sql`
      SELECT 1 FROM calls WHERE ended_at IS NULL AND (to_number LIKE ${named} OR from_number LIKE ${named})`.execute(
      this.#read,
    );
    const calls = phone.calls.filter((call) => call.isUp && !lost.has(call)).length;
    return { phone: name, calls, rows: rows.length };
  }

  /** Calls that have ended in the records while no BYE could reach their phones through another node. */
  async lostByes(ends: Ends): Promise<ReadonlySet<PhoneCall>> {
    const { rows } = await sql<{
      call_uuid: string;
      from_number: string;
      incarnation: number;
      ended_at: number;
      hangup_code: number;
    }>`
      SELECT call_uuid, from_number, incarnation, ended_at, hangup_code FROM calls WHERE ended_at IS NOT NULL`.execute(
      this.#read,
    );
    const lost = rows.flatMap(({ call_uuid, from_number, incarnation, ended_at, hangup_code }) => {
      const call = this.#callIn(this.#callIds.get(call_uuid)) ?? this.#callFrom(from_number);
      if (call === undefined) return [];
      const end = hangup_code === endedBySuccessor ? endOf(incarnation, ends) : undefined;
      const sender = end?.by ?? Number(incarnation);
      const byeAt = end?.at ?? this.#faults.ofWorld(Number(ended_at), sender);
      return this.#faults.losesBye(byeAt, sender) ? [call] : [];
    });
    return new Set(lost);
  }

  /** When the platform knew of the end at the latest: a BYE without an answer may not have arrived. */
  #knownUntil(call: PhoneCall): number {
    const isKnown = call.end?.by === 'remote-bye' || this.#certain.has(call);
    return (isKnown ? call.endedAt : call.byeAnsweredAt) ?? Number.POSITIVE_INFINITY;
  }

  get #read(): Read {
    return this.#faults.read;
  }

  #callIn(dialog: string | undefined): PhoneCall | undefined {
    if (dialog === undefined) return undefined;
    return this.#phones()
      .flatMap(({ calls }) => calls)
      .find(({ callId }) => callId === dialog);
  }

  #callFrom(number: string): PhoneCall | undefined {
    const digits = digitsOf(number);
    if (!this.#numbers.has(digits)) return undefined;
    return this.#phones()
      .flatMap(({ calls }) => calls)
      .find(({ caller }) => caller !== undefined && digitsOf(caller) === digits);
  }
}

function digitsOf(number: string): string {
  return number.replace(/^\+/, '');
}

function endOf(incarnation: number, ends: Ends): Ends[number] | undefined {
  return ends.find((end) => end.incarnation === Number(incarnation));
}
