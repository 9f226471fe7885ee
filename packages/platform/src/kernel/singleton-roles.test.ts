import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '@jackfield/ports';
import { createRecordingLog, createSettling, createVirtualClock, eachDatabase } from '@jackfield/testkit';
import { sql } from 'kysely';
import { incarnationMigrations } from './incarnation.ts';
import { outboxMigrations } from './outbox.ts';
import { createSingletonRoles, singletonRoleMigrations } from './singleton-roles.ts';

const metrics = { gauge() {} };
const migrations = [...outboxMigrations, ...incarnationMigrations, ...singletonRoleMigrations];

const begun = (database: Database, incarnation: number) =>
  database.transact((write) =>
    sql`INSERT INTO incarnations (incarnation, node, seat, started_at, alive_at) VALUES (${incarnation}, '', ${incarnation}, 0, 0)`.execute(
      write,
    ),
  );
const endedRow = (database: Database, incarnation: number) =>
  database.transact((write) =>
    sql`UPDATE incarnations SET ended_at = 1 WHERE incarnation = ${incarnation}`.execute(write),
  );

async function node(database: Database, incarnation: number, ended = async () => {}) {
  await begun(database, incarnation);
  const settling = createSettling();
  const clock = createVirtualClock(settling);
  const roles = createSingletonRoles({
    database: settling.database(database),
    clock: settling.clock(clock),
    log: createRecordingLog(),
    metrics,
    incarnation,
  });
  const history: string[] = [];
  const end = () => {
    history.push('end');
    return ended();
  };
  roles.take('sweeps', { begin: () => history.push('begin'), end });
  roles.open();
  return { clock, roles, history, look: () => clock.advance(2_000) };
}

eachDatabase('a role that one of several processes holds', (open) => {
  const shared = async () =>
    Object.assign(Object.create(await open(migrations)) as Database, { isShared: true });

  test('goes to the next process when the incarnation of its holder has ended, and not before', async () => {
    const database = await shared();
    const one = await node(database, 1);
    await one.look();
    const two = await node(database, 2);
    await two.look();
    assert.deepEqual([one.roles.holds('sweeps'), two.roles.holds('sweeps')], [true, false]);
    await endedRow(database, 1);
    await two.look();
    assert.ok(two.roles.holds('sweeps'));
    assert.deepEqual([one.history, two.history], [['begin'], ['begin']]);
    await two.roles.giveUp();
    assert.equal(two.clock.pending, 0);
  });

  test('goes to one process when several look for it at once', async () => {
    const database = await shared();
    await begun(database, 1);
    await endedRow(database, 1);
    await database.transact((write) => sql`INSERT INTO singleton_roles VALUES ('sweeps', 1)`.execute(write));
    const nodes = [await node(database, 2), await node(database, 3), await node(database, 4)];
    await Promise.all(nodes.map((each) => each.look()));
    assert.equal(nodes.filter(({ roles }) => roles.holds('sweeps')).length, 1);
    await Promise.all(nodes.map(({ roles }) => roles.giveUp()));
  });

  test('is free once its holder has given it up', async () => {
    const database = await shared();
    const one = await node(database, 1);
    await one.look();
    await one.roles.giveUp();
    assert.deepEqual(one.history, ['begin', 'end']);
    const two = await node(database, 2);
    await two.look();
    assert.ok(two.roles.holds('sweeps'));
    one.roles.open();
    await one.look();
    assert.ok(!one.roles.holds('sweeps'));
    await Promise.all([one.roles.giveUp(), two.roles.giveUp()]);
  });

  test('is held by one process when its holder takes it again before it has given it up', async () => {
    const database = await shared();
    const ending = Promise.withResolvers<void>();
    const one = await node(database, 1, () => ending.promise);
    await one.look();
    const givenUp = one.roles.giveUp();
    one.roles.open();
    const looked = one.look();
    ending.resolve();
    await Promise.all([givenUp, looked]);
    await one.look();
    const two = await node(database, 2);
    await two.look();
    assert.deepEqual([one.roles.holds('sweeps'), two.roles.holds('sweeps')], [true, false]);
    assert.equal(await two.roles.holderOf('sweeps'), 1);
    await Promise.all([one.roles.giveUp(), two.roles.giveUp()]);
    assert.equal(await two.roles.holderOf('sweeps'), undefined);
  });

  test('is free as well when its holder gives it up while it takes it', async () => {
    const database = await shared();
    const taking = Promise.withResolvers<void>();
    const transact: Database['transact'] = (work, options) => {
      if (options?.key === 'singleton-roles') taking.resolve();
      return database.transact(work, options);
    };
    const one = await node(Object.assign(Object.create(database) as Database, { transact }), 1);
    const looked = one.look();
    await taking.promise;
    await one.roles.giveUp();
    await looked;
    assert.deepEqual(one.history, []);
    const two = await node(database, 2);
    await two.look();
    assert.ok(two.roles.holds('sweeps'));
    await two.roles.giveUp();
  });
});

test('a process that is alone on its database holds every role without a statement', () => {
  const database = new Proxy({} as Database, {
    get: (_, name) => (name === 'isShared' ? false : assert.fail(`read ${String(name)}`)),
  });
  const clock = createVirtualClock();
  const roles = createSingletonRoles({
    ...{ database, clock, metrics },
    log: createRecordingLog(),
    incarnation: 1,
  });
  let isBegun = false;
  roles.take('sweeps', { begin: () => (isBegun = true) });
  roles.open();
  assert.ok(isBegun && roles.holds('sweeps'));
  assert.equal(clock.pending, 0);
});
