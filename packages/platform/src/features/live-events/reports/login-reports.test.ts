import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertDocumentedEvents,
  createRecordingLog,
  createVirtualClock,
  eachDatabase,
} from '@jackfield/testkit';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import { createLoginReports, explain } from './login-reports.ts';

const realm = 'sip.localhost';

test('a refused login is explained with a correction', () => {
  const said = (username: string | undefined, of: string, usernames: readonly string[]) =>
    explain({ username, realm: of }, realm, usernames);
  const unknown = said('alice', realm, ['alice261121120000']);
  assert.match(unknown.sentence, /"alice" was refused: no endpoint .* Did you mean "alice261121120000"\?/);
  assert.equal(unknown.fields.reason, 'unknown-user');
  assert.match(said('alice261121120000', realm, ['alice261121120000']).sentence, /the password is wrong/);
  assert.match(said('alice', 'asterisk', []).sentence, /the realm "asterisk", it must be "sip\.localhost"/);
  assert.match(said('zed', realm, []).sentence, /GET Endpoint\//);
  assert.equal(said(undefined, realm, []).fields.reason, 'unreadable');
});

eachDatabase('Failed logins', (open) => {
  test('are reported twenty times a minute at most, whatever sources and users they name', async () => {
    const clock = createVirtualClock();
    const database = await open([]);
    const sources: string[] = [];
    const complete = Promise.withResolvers<void>();
    const loginReports = createLoginReports({
      database,
      clock,
      log: createRecordingLog(),
      outbox: {
        appendEvents: async (_write, events) => void sources.push(...events.map(({ resource }) => resource)),
        wake: () => sources.length === 21 && complete.resolve(),
      },
      account: () => 'MA1',
      realm,
      usernamesLike: async () => [],
    });
    const fail = (at: number) =>
      loginReports.failed({ source: `192.0.2.${at}`, username: `user${at}`, realm });
    for (let at = 0; at < 30; at += 1) fail(at);
    await clock.advance(60_000);
    fail(30);
    // Events are appended in the order of the reports: none is missing before the last one.
    await complete.promise;
    assert.deepEqual(sources.slice(19), ['source/192.0.2.19', 'source/192.0.2.30']);
  });

  test('are reported once a minute for a source and user, as an event and as a warning', async () => {
    const clock = createVirtualClock();
    const database = await open([]);
    const log = createRecordingLog();
    const events: OutboxEvent[] = [];
    const complete = Promise.withResolvers<void>();
    const loginReports = createLoginReports({
      database,
      clock,
      log,
      outbox: {
        appendEvents: async (_write, given) => {
          assertDocumentedEvents(given);
          events.push(...given);
        },
        wake: () => events.length === 3 && complete.resolve(),
      },
      account: () => 'MA1',
      realm,
      usernamesLike: async () => ['alice261121120000'],
    });
    const fail = (source: string) => loginReports.failed({ source, username: 'alice', realm });
    for (let time = 0; time < 10; time += 1) fail('127.0.0.1');
    fail('127.0.0.2');
    await clock.advance(60_000);
    fail('127.0.0.1');
    await complete.promise;
    assert.deepEqual(
      events.map(({ type, resource }) => [type, resource]),
      [
        ['endpoint.login-failed', 'source/127.0.0.1'],
        ['endpoint.login-failed', 'source/127.0.0.2'],
        ['endpoint.login-failed', 'source/127.0.0.1'],
      ],
    );
    const { payload } = events[0]!;
    assert.deepEqual((payload as { usernames: unknown }).usernames, ['alice261121120000']);
    assert.equal(log.lines.filter(({ level }) => level === 'warn').length, 3);
  });
});
