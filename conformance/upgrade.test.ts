import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { type PostgresServer, postgresMissing, startPostgres } from '@jackfield/testkit/postgres-server';
import { Client } from 'pg';
import { cleanUp } from './support/clean-up.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { WebSocketPhone } from './support/web-socket-phone.ts';

const secretKey = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const released = (file: string) => readFile(join(import.meta.dirname, 'support/released', file), 'utf8');
const recorded = 'the bytes of a recording';

for (const kind of ['the embedded database', 'PostgreSQL'] as const) {
  const skip = kind === 'PostgreSQL' && (postgresMissing() ?? false);
  describe(`a server on the data of the oldest release in ${kind}`, { skip, timeout: 180_000 }, () => {
    let postgres: PostgresServer | undefined;
    let platform: PlatformProcess;

    before(async () => {
      const environment = { JACKFIELD_SECRET_KEY: secretKey };
      if (kind === 'the embedded database') {
        platform = await PlatformProcess.start(environment, async (dataDir) => {
          const database = new DatabaseSync(join(dataDir, 'jackfield.sqlite'));
          database.exec(await released('embedded.sql'));
          database.close();
        });
        return;
      }
      const started = await startPostgres();
      postgres = started.server ?? assert.fail(started.reason);
      const url = await postgres.createDatabase();
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(await released('postgresql.sql'));
      await client.end();
      platform = await PlatformProcess.start({ ...environment, JACKFIELD_DATABASE_URL: url });
    });

    after(() =>
      cleanUp(
        async () => assert.equal(await platform?.stop(), 0),
        () => postgres?.stop(),
      ),
    );

    it('applies what it has added since, and starts on it a second time', async () => {
      const applied = platform.log.all.find(({ message }) => message === 'database migrations applied');
      assert.ok(Array.isArray(applied?.migrations) && applied.migrations.length > 20);
      await platform.killAndRestart();
      const all = platform.log.all.filter(({ message }) => message === 'database migrations applied');
      assert.equal(all.length, 1);
    });

    it('has the endpoint, whose phone registers with its password and is called', async () => {
      const { objects } = (await platform.api('GET', 'Endpoint/')).body;
      const [{ username, alias }] = objects;
      assert.equal(alias, 'alice');
      const phone = await WebSocketPhone.connect({
        url: `${platform.httpUrl.replace(/^http/, 'ws')}/sip`,
        username,
        password: 'released-password',
        domain: 'sip.localhost',
      });
      assert.equal(await phone.register(), 200);
      const participant = { role: 'agent', from: '+12025550000', to: username };
      const room = 'MultiPartyCall/name_released/';
      assert.equal((await platform.api('POST', `${room}Participant/`, participant)).status, 201);
      await phone.events.until('the call', ({ type }) => type === 'invited');
      assert.equal((await platform.api('DELETE', room)).status, 204);
      phone.vanish();
      await platform.untilQuiet();
    });

    it('has the application, the subaccount and the records of the old calls', async () => {
      const [application] = (await platform.api('GET', 'Application/')).body.objects;
      assert.equal(application.app_name, 'released');
      const [subaccount] = (await platform.api('GET', 'Subaccount/')).body.objects;
      assert.equal(subaccount.name, 'released');
      // The token is sealed by the key.
      const authorization = `Basic ${Buffer.from(`${subaccount.auth_id}:${subaccount.auth_token}`).toString('base64')}`;
      const own = `${platform.httpUrl}/v1/Account/${subaccount.auth_id}/`;
      assert.equal((await fetch(own, { headers: { authorization } })).status, 200);
      const calls = (await platform.api('GET', 'Call/?limit=20')).body.objects;
      const old = calls.filter(({ to_number: to }: { to_number: string }) => /202555010[01]$/.test(to));
      assert.equal(old.length, 2);
      for (const { call_uuid: uuid } of old)
        assert.equal((await platform.api('GET', `Call/${uuid}/`)).status, 200);
      const rooms = (await platform.api('GET', 'MultiPartyCall/')).body.objects;
      const ended = rooms.filter(({ status }: { status: string }) => status === 'Ended');
      assert.ok(ended.length > 0);
      const { body } = await platform.api('GET', `MultiPartyCall/uuid_${ended.at(-1).mpc_uuid}/Participant/`);
      assert.equal(body.objects.length, 2);
    });

    it('serves the old recording from the data directory', async () => {
      const [recording] = (await platform.api('GET', 'Recording/')).body.objects;
      const directory = join(platform.dataDir, 'recordings');
      await mkdir(directory, { recursive: true });
      await writeFile(join(directory, `${recording.recording_id}.mp3`), recorded);
      assert.equal(Buffer.from(await platform.download(recording.recording_url)).toString(), recorded);
    });
  });
}
