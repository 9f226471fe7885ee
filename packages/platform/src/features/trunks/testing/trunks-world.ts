import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { Clock } from '@jackfield/ports';
import { createRecordingLog, documentedOutbox, type OpenDatabase } from '@jackfield/testkit';
import { type Caller, openApi } from '../../../http/testing/api-world.ts';
import { createEventLog, firstCursor } from '../../../kernel/event-log.ts';
import { createOutbox, outboxMigrations } from '../../../kernel/outbox.ts';
import { createTrunks } from '../index.ts';

export const realm = 'sip.example.com';

/** Trunks behind the real HTTP interface on a real database, with the events that they emit. */
export async function openTrunks(open: OpenDatabase) {
  const database = await open(outboxMigrations);
  // The clock comes with the HTTP interface, which wants the routes first.
  const clock: Clock = {
    now: () => api.clock.now(),
    wallNow: () => api.clock.wallNow(),
    startTimer: (at, fire) => api.clock.startTimer(at, fire),
  };
  const log = createRecordingLog();
  const outbox = documentedOutbox(createOutbox({ database, clock, log, newEventId: () => randomUUID() }));
  const secrets = createSecrets(new Uint8Array(32).fill(7));
  const trunks = createTrunks({ database, clock, log, secrets, domains: [realm], outbox });
  await database.migrate(trunks.migrations);
  const api = await openApi(
    Object.assign(async () => database, { again: open.again }),
    { routes: trunks.routes },
  );
  const feed = createEventLog(database);

  async function create(path: string, body: object, as?: Caller): Promise<string> {
    const answer = await api.call('POST', path, { body, ...(as === undefined ? {} : { as }) });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const id = Object.keys(answer.body).find((name) => /_(?:uu)?id$/.test(name) && name !== 'api_id')!;
    return answer.body[id];
  }

  return {
    api,
    database,
    trunks,
    create,
    call: api.call,
    credential: (fields: object = {}, as?: Caller) =>
      create('SipTrunk/Credential/', { username: 'pbx', password: 'secret', ...fields }, as),
    addressList: (...ip_addresses: string[]) => create('SipTrunk/IPAccessControlList/', { ip_addresses }),
    uri: (fields: object = {}) => create('SipTrunk/URI/', { uri: 'pbx.example.net', ...fields }),
    trunk: (fields: object, as?: Caller) =>
      create('SipTrunk/Trunk/', { trunk_direction: 'outbound', ...fields }, as),
    /** Events of the main account, without the fields of the outbox. */
    async told() {
      const viewer = { authId: api.main.authId, isSubaccount: false };
      const events = await feed.after(viewer, firstCursor, 100);
      return events.map(({ type, resource, data }) => ({ type, resource, data }));
    },
  };
}

export type TrunksWorld = Awaited<ReturnType<typeof openTrunks>>;
