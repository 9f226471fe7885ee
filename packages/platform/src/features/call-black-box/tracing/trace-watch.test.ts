import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecordingLog, createVirtualClock } from '@jackfield/testkit';
import { createActiveTraces } from './active-traces.ts';
import type { SipTraceRow } from './trace-store.ts';
import { createTraceWatch } from './trace-watch.ts';

const register = (username: string) => ({
  callId: `register-${username}`,
  direction: 'received' as const,
  text: `REGISTER sip:example.com SIP/2.0\r\nFrom: <sip:${username}@example.com>;tag=1\r\n`,
});

/** A process, and the rows that it finds in the database of all. */
async function process(isShared: boolean) {
  const clock = createVirtualClock();
  const rows: SipTraceRow[] = [];
  const ended: string[] = [];
  const active = createActiveTraces(clock, (id) => ended.push(id));
  const row = (id: string, minutes: number): SipTraceRow => ({
    trace_id: id,
    account: 'MA1',
    main_account: 'MA1',
    call_uuid: null,
    endpoint_id: id,
    username: id,
    began_at: clock.wallNow(),
    ends_at: clock.wallNow() + minutes * 60_000,
  });
  const traces = { active: async () => rows };
  const watch = createTraceWatch({ clock, log: createRecordingLog(), traces, active, isShared });
  await watch.restore();
  return { clock, rows, ended, active, row, watch };
}

test('A node begins and ends the traces of other nodes within 5 s', async () => {
  const { clock, rows, ended, active, row, watch } = await process(true);
  rows.push(row('alice', 10));
  assert.deepEqual(active.ofEndpoint(register('alice')), []);
  await clock.advance(5_000);
  assert.deepEqual([active.scope(), active.ofEndpoint(register('alice'))], ['all', ['alice']]);
  assert.deepEqual(active.ofEndpoint(register('bob')), []);
  rows.splice(0);
  await clock.advance(5_000);
  assert.deepEqual([active.scope(), ended], ['none', ['alice']]);
  watch.close();
  active.close();
});

test('A process that owns its database reads its traces once, and each ends at its time', async () => {
  const { clock, rows, ended, active, row, watch } = await process(false);
  active.begin(row('alice', 1));
  rows.push(row('bob', 10));
  await clock.advance(59_000);
  assert.deepEqual([active.count(), active.count('MA1'), active.count('MA2')], [1, 1, 0]);
  await clock.advance(1_000);
  assert.deepEqual([active.count(), ended], [0, ['alice']]);
  watch.close();
});
