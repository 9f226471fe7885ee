import assert from 'node:assert/strict';
import type { Database } from '@jackfield/ports';
import { type History, recordedHistory } from '@jackfield/testkit';
import { sql } from 'kysely';
import type { BaresipPhone } from './baresip-phone.ts';
import type { Cluster } from './cluster.ts';
import { untilDelivered } from './delivered.ts';
import type { PlatformProcess } from './platform-process.ts';

/** What was seen of a run from outside, for the checker of docs/decisions/0082-a-history-is-judged.md. */
export class SeenHistory {
  readonly #cluster: Cluster;
  readonly #database: Database;
  readonly #sightings: History['sightings'][number][] = [];
  readonly #liveRooms: History['liveRooms'][number][] = [];
  readonly #keyed: History['keyed'][number][] = [];
  readonly #heard: Omit<History['bills'][number], 'billedMs'>[] = [];

  constructor(cluster: Cluster, database: Database) {
    this.#cluster = cluster;
    this.#database = database;
  }

  /** A call of the first node on which a document waits; its request is repeated through the other node. */
  async callAt(...nodes: readonly [PlatformProcess, PlatformProcess]): Promise<void> {
    const key = `+120255510${this.#keyed.length + 10}`;
    const answer_url = this.#cluster.customer.serve('/wait', '<Response><Wait length="600"/></Response>');
    const hangup_url = this.#cluster.customer.serve('/ended', '');
    const body = JSON.stringify({ from: key, to: '+12025550101', answer_url, hangup_url });
    for (const { httpUrl, authId, authToken } of nodes) {
      const authorization = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
      const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': key };
      const answer = await fetch(`${httpUrl}/v1/Account/${authId}/Call/`, { method: 'POST', headers, body });
      assert.equal(answer.status, 201);
      this.#keyed.push({ key, status: answer.status, body: await answer.text() });
    }
  }

  /** What each of these nodes shows of the legs, and which multiparty calls live. */
  async look(...nodes: readonly PlatformProcess[]): Promise<void> {
    const read = this.#database.read;
    const { rows } = await sql<{ leg: string }>`SELECT call_uuid AS leg FROM calls`.execute(read);
    for (const node of nodes) {
      for (const { leg } of rows) {
        const { status, body } = await node.api('GET', `Call/${leg}/`);
        assert.equal(status, 200, JSON.stringify(body));
        const { end_time, call_duration, hangup_cause_code, hangup_source } = body;
        const end = end_time
          ? `${end_time} ${call_duration} ${hangup_cause_code} ${hangup_source}`
          : undefined;
        this.#sightings.push({ leg, end });
      }
    }
    const rooms = await sql<History['liveRooms'][number][number]>`
      SELECT account, friendly_name AS name, mpc_uuid AS uuid FROM multiparty_calls WHERE ended_at IS NULL`.execute(
      read,
    );
    this.#liveRooms.push(rooms.rows);
  }

  /** A leg whose phone had audio for so long, and cannot have been in the call for longer than `upMs`. */
  billed(leg: string, heardMs: number, upMs: number): void {
    this.#heard.push({ leg, heardMs, upMs });
  }

  /** Resolves when each callback has been delivered; the phones are out of calls by then, or have a row for theirs. */
  async parts(phones: Readonly<Record<string, BaresipPhone>> = {}, nodes: readonly PlatformProcess[] = []) {
    const { read } = this.#database;
    await untilDelivered(this.#database);
    const { events, liveRows, running } = await recordedHistory(read);
    const { rows: effects } = await sql<{ key: string; id: string }>`
      SELECT from_number AS key, call_uuid AS id FROM calls`.execute(read);
    const keys = new Set(this.#keyed.map(({ key }) => key));
    const census: Record<string, number> = {};
    for (const [number, node] of nodes.entries())
      for (const [what, left] of Object.entries(await node.census()))
        census[`node ${number}: ${what}`] = left;
    return {
      events,
      sightings: this.#sightings,
      // A request for a document has no event.
      accepted: this.#cluster.customer.received.all.flatMap(({ eventId }) =>
        eventId === 'undefined' ? [] : [eventId],
      ),
      liveRooms: this.#liveRooms,
      keyed: this.#keyed,
      effects: effects.filter(({ key }) => keys.has(key)),
      bills: await this.#bills(),
      leftovers: {
        liveRows,
        running,
        phones: await this.#phones(phones),
        census,
      },
    } satisfies Partial<History>;
  }

  async #bills(): Promise<History['bills']> {
    const { rows } = await sql<{ leg: string; ms: number }>`
      SELECT call_uuid AS leg, ended_at - answered_at AS ms FROM calls`.execute(this.#database.read);
    const billed = new Map(rows.map(({ leg, ms }) => [leg, Number(ms)]));
    return this.#heard.map((each) => ({
      ...each,
      billedMs: billed.get(each.leg) ?? assert.fail(`leg ${each.leg} has no bill`),
    }));
  }

  async #phones(phones: Readonly<Record<string, BaresipPhone>>): Promise<History['leftovers']['phones']> {
    const live = await sql<{ to_number: string }>`
      SELECT to_number FROM calls WHERE ended_at IS NULL`.execute(this.#database.read);
    return Object.entries(phones).map(([phone, { events }]) => {
      const number = (type: string) => events.all.filter((event) => event.type === type).length;
      const rows = live.rows.filter(({ to_number }) => to_number.includes(phone)).length;
      return { phone, calls: number('CALL_ESTABLISHED') - number('CALL_CLOSED'), rows };
    });
  }
}
