import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineOfEvent, withActivity } from './activity.ts';

const parties = { From: '+12025550000', To: 'alice' };
const startedAt = Date.parse('2026-02-01T10:00:00.000Z');

test('a call is one line when it is answered and one when it ends', () => {
  const answered = { ...parties, SessionStart: '2026-02-01 10:00:00.000000' };
  assert.equal(
    lineOfEvent({ type: 'call.answered', createdAt: startedAt + 1200, data: answered }),
    'call      +12025550000 → alice  answered after 1.2 s',
  );
  const ended = { ...parties, HangupCauseName: 'Normal Hangup', HangupSource: 'Callee' };
  assert.equal(
    lineOfEvent({
      type: 'call.ended',
      createdAt: startedAt,
      data: { ...ended, Duration: '7', AnswerTime: '2026-02-01 10:00:01+00:00' },
    }),
    'call      +12025550000 → alice  ended after 7 s: Normal Hangup (Callee)',
  );
  assert.equal(
    lineOfEvent({ type: 'call.ended', createdAt: startedAt, data: ended }),
    'call      +12025550000 → alice  ended before an answer: Normal Hangup (Callee)',
  );
});

test('a caller whose name has control characters does not move the terminal’s cursor', () => {
  const line = lineOfEvent({
    type: 'call.ringing',
    createdAt: startedAt,
    data: { From: '\u001b[2J\u009bevil', To: 'bob\r\nfake line' },
  });
  assert.equal(line, 'call       [2J evil → bob fake line  rings');
});

test('callbacks and documents are shown from the log at any level, and the log keeps its records', () => {
  const shown: string[] = [];
  const logged: string[] = [];
  const keep = (_: object, sentence: string) => void logged.push(sentence);
  const log = withActivity({ debug: keep, info: keep, warn: keep, error: keep }, (line) => shown.push(line));
  const request = { method: 'POST', url: 'http://127.0.0.1:8000/a', durationMs: 12 };
  log.debug({ ...request, status: 200, event: 'call.ended' }, 'callback sent');
  log.debug({ ...request, problem: 'connection refused', event: 'call.ended' }, 'callback sent');
  log.debug({ ...request, status: 200 }, 'document requested');
  log.debug({}, 'something else');
  assert.deepEqual(shown, [
    'callback  POST http://127.0.0.1:8000/a 200 in 12 ms (call.ended)',
    'callback  POST http://127.0.0.1:8000/a connection refused in 12 ms (call.ended)',
    'document  POST http://127.0.0.1:8000/a 200 in 12 ms',
  ]);
  assert.equal(logged.length, 4);
});
