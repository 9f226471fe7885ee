import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type PostgresServer, postgresMissing, startPostgres } from '@jackfield/testkit/postgres-server';
import { Client } from 'pg';
import { cleanUp } from './support/clean-up.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { blocksRunBy } from './support/snippets.ts';

const skip = postgresMissing() ?? false;

describe('the server on PostgreSQL', { skip, timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let server: PostgresServer;

  before(async () => {
    const started = await startPostgres();
    if (started.server === undefined) throw new Error(started.reason);
    server = started.server;
    platform = await PlatformProcess.start({
      JACKFIELD_DATABASE_URL: await server.createDatabase(),
    });
  });

  after(() =>
    cleanUp(
      () => platform.stop(),
      () => server.stop(),
    ),
  );

  it('is prepared as the page shows it', async (t) => {
    const database = new Client(server.url);
    await database.connect();
    t.after(() => database.end());
    for (const { text } of blocksRunBy('docs/operate/postgresql.md', import.meta.filename))
      for (const statement of text.trim().split('\n')) await database.query(statement);
    const own = new URL(server.url);
    own.pathname = '/jackfield';
    own.username = 'jackfield';
    own.password = 'a-good-password';
    const user = new Client(own.href);
    await user.connect();
    t.after(() => user.end());
    await user.query('CREATE TABLE examined (id integer)');
  });

  it('ends its start with a sentence where it may not write', async (t) => {
    const database = new Client(server.url);
    await database.connect();
    t.after(() => database.end());
    await database.query("CREATE ROLE reader LOGIN PASSWORD 'a-good-password'");
    const owned = new URL(await server.createDatabase());
    owned.username = 'reader';
    owned.password = 'a-good-password';
    await assert.rejects(
      PlatformProcess.start({ JACKFIELD_DATABASE_URL: owned.href }),
      /JACKFIELD_DATABASE_URL: the user of the URL may not make tables .* let it own the database/,
    );
    const closed = await server.createDatabase();
    await database.query(
      `ALTER DATABASE ${new URL(closed).pathname.slice(1)} SET default_transaction_read_only = on`,
    );
    await assert.rejects(
      PlatformProcess.start({ JACKFIELD_DATABASE_URL: closed }),
      /JACKFIELD_DATABASE_URL: PostgreSQL takes no writes .* the database is read-only/,
    );
  });

  const room = 'MultiPartyCall/name_postgres/';

  it('holds a multiparty call of two phones, and knows after a kill how it ended', async () => {
    for (const to of ['+12025550101', '+12025550109']) {
      const { status } = await platform.api('POST', `${room}Participant/`, {
        role: 'agent',
        from: '+12025550000',
        to,
      });
      assert.equal(status, 201);
    }
    await platform.until('both phones', `${room}Participant/`, (body) =>
      body.objects?.every((participant: { status: string }) => participant.status === 'joined'),
    );
    const { mpc_uuid: uuid } = (await platform.api('GET', room)).body;
    await platform.killAndRestart();
    const { body } = await platform.api('GET', `MultiPartyCall/uuid_${uuid}/`);
    assert.deepEqual([body.status, body.termination_cause_code], ['Ended', 1000]);
  });

  it('answers 503 with Retry-After while the database is gone, is alive and not ready, and ready when it is back', async () => {
    const { username } = await platform.createEndpoint('before', 'a-good-password');
    assert.match(username, /^before\d{12}$/);
    await server.down();
    const answer = await platform.api('GET', 'Endpoint/');
    assert.equal(answer.status, 503);
    assert.match(answer.body.error, /database cannot be reached/);
    assert.equal((await fetch(`${platform.httpUrl}/healthz`)).status, 200);
    const ready = async () => {
      const probe = await fetch(`${platform.httpUrl}/readyz`);
      return { status: probe.status, body: await probe.json() };
    };
    const isReady = async (expected: boolean) => {
      // An outcome is reused for a second.
      while (((await ready()).status === 200) !== expected) await new Promise((turn) => setTimeout(turn, 20));
    };
    await isReady(false);
    const reason = 'the database cannot be reached';
    const away = { status: 'not accepting work', reason, error_code: 'unavailable' };
    // Many probes at once share one prompt answer.
    const probes = await Promise.all(Array.from({ length: 100 }, ready));
    for (const probe of probes) assert.deepEqual(probe, { status: 503, body: away });
    await server.up();
    await isReady(true);
    assert.equal((await platform.api('GET', 'Endpoint/')).status, 200);
  });

  it('answers 503 to what it cannot write to a server that is a standby, answers reads, and writes when that is promoted', async () => {
    const endpoint = { username: 'standby', password: 'a-good-password', alias: 'standby' };
    const create = () => platform.api('POST', 'Endpoint/', endpoint);
    await server.demote();
    const isBack = async () => (await platform.api('GET', 'Endpoint/')).status === 200;
    while (!(await isBack())) await new Promise((turn) => setTimeout(turn, 20));
    const refused = await create();
    assert.equal(refused.status, 503);
    assert.match(refused.body.error, /database cannot be reached/);
    assert.equal((await platform.api('GET', 'Endpoint/')).status, 200);
    const database = new Client(server.url);
    await database.connect();
    await database.query('SELECT pg_promote()');
    await database.end();
    while ((await create()).status !== 201) await new Promise((turn) => setTimeout(turn, 20));
  });
});
