import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecordingLog } from '@jackfield/testkit';
import { nameCalls } from './named-calls.ts';

test('A line about a leg names the call and its account, and any other line stays as it is', () => {
  const written = createRecordingLog();
  const { log, follow } = nameCalls(written);
  log.warn({ leg: 'c1', err: 'x' }, 'before the start');
  follow((call) => (call === 'c1' ? 'MA1' : undefined));
  log.error({ leg: 'c1', err: 'x' }, 'of a live call');
  log.info({ leg: 'c2', account: 'SA1' }, 'of another call');
  log.debug({ account: 'MA1' }, 'of no call');
  assert.deepEqual(
    written.lines.map(({ fields }) => fields),
    [
      { call_uuid: 'c1', err: 'x' },
      { call_uuid: 'c1', account: 'MA1', err: 'x' },
      { call_uuid: 'c2', account: 'SA1' },
      { account: 'MA1' },
    ],
  );
});
