import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createPostgresDatabase } from '@jackfield/adapters/database-postgres';
import type { Database } from '@jackfield/ports';
import { brokenInvariants, createRecordingLog, recordedHistory } from '@jackfield/testkit';
import { natsMissing } from '@jackfield/testkit/nats-server';
import { postgresMissing } from '@jackfield/testkit/postgres-server';
import { cleanUp } from './support/clean-up.ts';
import { Cluster } from './support/cluster.ts';
import { untilDelivered } from './support/delivered.ts';
import { HeldRows } from './support/held-rows.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';
import type { PlatformProcess } from './support/platform-process.ts';

const skip = postgresMissing() ?? natsMissing() ?? false;

/** Real processes. Rows that the test has locked keep a successor in the middle of its takeover, as long as the test says. */
describe('a takeover that is interrupted', { skip, timeout: 240_000 }, () => {
  let cluster: Cluster;
  let database: Database;
  /** They run when the node of a test dies. */
  let others: readonly PlatformProcess[];
  /** Where the log of each begins for a test. */
  let begins: ReadonlyMap<PlatformProcess, number>;

  before(async () => {
    cluster = await Cluster.start();
    database = createPostgresDatabase({ url: cluster.databaseUrl, log: createRecordingLog() });
    others = await Promise.all([cluster.join('one'), cluster.join('two')]);
  });
  after(() =>
    cleanUp(
      () => database?.close(),
      () => cluster?.stop(),
    ),
  );
  beforeEach(() => {
    begins = new Map(others.map((node) => [node, node.log.all.length]));
  });

  /** Two calls with a callback for their end, and a multiparty call of two with callbacks, at a node of its own. */
  async function startLeft(name: string) {
    const node = await cluster.join(name);
    const ends = [`/${name}-first`, `/${name}-second`];
    const calls = await Promise.all(
      ends.map((path) => cluster.callAt(node, { hangup_url: cluster.customer.serve(path, '') })),
    );
    for (const to of ['+12025550101', '+12025550109'])
      await addToRoom(node, name, to, {
        status_callback_url: cluster.customer.serve(`/${name}-room`, ''),
        status_callback_events: 'mpc-state-changes,participant-state-changes',
      });
    await joinedRoom(node, name, 2);
    const { mpc_uuid: room } = (await node.api('GET', `MultiPartyCall/name_${name}/`)).body;
    return { node, calls, ends, room };
  }

  type Left = Awaited<ReturnType<typeof startLeft>>;

  /** Kills the node; resolves with its successor when that one waits for the records of its calls. */
  async function dieWhileHeld({ node, calls }: Left) {
    const held = await HeldRows.take(cluster.databaseUrl, 'SELECT 1 FROM calls WHERE call_uuid = ANY ($1)', [
      calls,
    ]);
    await cluster.kill(node);
    const found = others.map(async (other) => ({ other, ended: await ending(other) }));
    const { other: successor, ended } = await Promise.any(found);
    await held.waitedFor();
    return { held, successor, ended };
  }

  /** A line of this test in the log of a node; `about` is the token of another node. */
  const logged = (by: PlatformProcess, what: string, message: RegExp, about?: unknown) =>
    by.log.until(
      what,
      (line) => message.test(String(line.message)) && (about === undefined || line.node === about),
      { from: begins.get(by) ?? 0 },
    );

  /** The token of the node that this one ends. */
  const ending = async (by: PlatformProcess): Promise<unknown> =>
    (await logged(by, 'the end of a dead node', /gives no sign of life/)).node;

  const takenOver = (by: PlatformProcess, ended: unknown) =>
    logged(by, 'the end of the takeover', /left is ended or taken over/, ended);

  /** What the rows, the API and the receiver show afterwards. */
  async function judge({ calls, ends, room }: Left, through: PlatformProcess): Promise<void> {
    for (const path of ends) await cluster.customer.asked(path);
    await untilDelivered(database);
    const { events, liveRows, running } = await recordedHistory(database.read);
    const accepted = cluster.customer.received.all.flatMap(({ eventId }) =>
      events.some((event) => event.eventId === eventId) ? [eventId] : [],
    );
    assert.deepEqual(
      brokenInvariants({
        events,
        accepted,
        leftovers: { liveRows, running, phones: [], census: {} },
      }),
      [],
    );
    for (const call of calls) {
      const own = events.filter(({ resource, type }) => resource.includes(call) && type === 'call.ended');
      assert.equal(own.length, 1, call);
    }
    for (const path of ends)
      assert.equal(cluster.customer.received.all.filter(({ target }) => target === path).length, 1, path);
    for (const call of calls)
      assert.equal((await through.api('GET', `Call/${call}/`)).body.hangup_cause_code, 5010);
    assert.equal((await through.api('GET', `MultiPartyCall/uuid_${room}/`)).body.status, 'Ended');
  }

  it('PostgreSQL restarts: the takeover is finished afterwards; each call has one end, and its callback arrives once', async () => {
    const left = await startLeft('three');
    const { held, ended } = await dieWhileHeld(left);
    await cluster.postgres.crashAndRestart();
    await held.release();
    await Promise.any(others.map((node) => takenOver(node, ended)));
    await judge(left, others[0]!);
  });

  it('a statement of the dead node waits for a lock: its locks are freed, and its successor ends it all the same', async () => {
    const left = await startLeft('five');
    const [call] = left.calls;
    const held = await HeldRows.take(cluster.databaseUrl, 'SELECT 1 FROM calls WHERE call_uuid = $1', [call]);
    const ended = others.map((node) => ending(node));
    // The answer dies with the node: the end of the call waits for its record.
    const hungUp = left.node.api('DELETE', `Call/${call}/`).catch(() => {});
    await held.waitedFor();
    await cluster.kill(left.node);
    await hungUp;
    await Promise.any(ended);
    await held.release();
    await Promise.any(ended.map(async (of, index) => takenOver(others[index]!, await of)));
    await judge(left, others[0]!);
  });

  it('the successor is killed: another node finishes it; each call has one end, and its callback arrives once', async () => {
    const left = await startLeft('four');
    const { held, successor, ended } = await dieWhileHeld(left);
    await cluster.kill(successor);
    await held.release();
    const last = others.find((node) => node !== successor)!;
    await Promise.all([takenOver(last, ended), takenOver(last, await ending(last))]);
    await judge(left, last);
  });
});
