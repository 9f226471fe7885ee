import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertDocumentedEvents,
  createRecordingLog,
  createVirtualClock,
  eachDatabase,
} from '@jackfield/testkit';
import { appendLane } from '../../../kernel/append-alone.ts';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import { createBanReports } from './ban-reports.ts';

eachDatabase('Banned sources', (open) => {
  test('are reported to the first account, ten in a minute; the next report carries the number of the others', async () => {
    const clock = createVirtualClock();
    const database = await open([]);
    const events: OutboxEvent[] = [];
    let account: string | undefined;
    const listed: string[] = [];
    const banReports = createBanReports({
      database,
      clock,
      log: createRecordingLog(),
      outbox: {
        appendEvents: async (_write, given) => {
          assertDocumentedEvents(given);
          events.push(...given);
        },
        wake() {},
      },
      account: () => account,
      also: { banned: ({ source }) => void listed.push(source) },
    });
    const ban = (at: number) =>
      banReports.banned({ source: `192.0.2.${at}`, reason: 'failed-logins', seconds: 300 });
    ban(0);
    account = 'MA1';
    for (let at = 1; at <= 15; at += 1) ban(at);
    await clock.advance(60_000);
    ban(16);
    // Transactions of one lane run one after another: this one runs behind those of the reports.
    await database.transact(async () => {}, { isolation: 'read-committed', key: appendLane });
    assert.equal(events.length, 11);
    assert.equal(listed.length, 17, 'each is in the list of the operator');
    assert.deepEqual(events[0], {
      type: 'source.banned',
      account: 'MA1',
      mainAccount: 'MA1',
      resource: 'source/192.0.2.1',
      payload: { source_address: '192.0.2.1', reason: 'failed-logins', seconds: 300, unreported_bans: 1 },
    });
    assert.equal((events[10]!.payload as { unreported_bans: number }).unreported_bans, 5);
  });
});
