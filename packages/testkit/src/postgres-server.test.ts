import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from 'pg';
import { type PostgresServer, postgresMissing, startPostgres } from './postgres-server.ts';

const skip = postgresMissing() ?? false;

async function ask(url: string, query: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return Object.values((await client.query(query)).rows[0])[0];
  } finally {
    await client.end();
  }
}

test('servers of one run of the tests start on copies of one cluster, and share no data', {
  skip,
}, async () => {
  const run = await mkdtemp(join(tmpdir(), 'jackfield-run-'));
  const { TMPDIR } = process.env;
  await chmod(run, 0o711);
  await mkdir(join(run, 'postgres-clusters'));
  const servers: PostgresServer[] = [];
  const start = async () => {
    const { server } = await startPostgres();
    servers.push(server ?? assert.fail('PostgreSQL did not start'));
  };
  process.env.TMPDIR = run;
  try {
    await Promise.all([start(), start()]);
    await start();
    const ofEach = (query: string) => Promise.all(servers.map(({ url }) => ask(url, query)));
    const clusters = await ofEach('SELECT system_identifier FROM pg_control_system()');
    assert.equal(new Set(clusters).size, 1, clusters.join(' '));
    await servers[2]!.createDatabase();
    const databases = await ofEach("SELECT count(*)::int FROM pg_database WHERE datname LIKE 'test%'");
    assert.deepEqual(databases, [0, 0, 1]);
    assert.deepEqual(await readdir(join(run, 'postgres-clusters')), ['data']);
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    await Promise.all(servers.map((server) => server.stop()));
    await rm(run, { recursive: true, force: true });
  }
});
