import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, type LogLevel } from './index.ts';

function recorded(level: LogLevel = 'info') {
  const lines: string[] = [];
  const log = createLogger({ level, destination: { write: (line) => lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1) as string) as Record<string, unknown> };
}

test('an event is one line of JSON with its time, level and sentence', () => {
  const { log, lines, last } = recorded();
  log.info({ leg: 'a\nb' }, 'a leg was answered');
  assert.equal(lines.length, 1);
  assert.equal(lines[0]?.match(/\n/g)?.length, 1);
  const { time, ...rest } = last();
  assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(rest, { level: 'info', leg: 'a\nb', message: 'a leg was answered' });
});

test('events below the level are not written', () => {
  const { log, lines } = recorded('warn');
  log.debug({}, 'no');
  log.info({}, 'no');
  log.warn({}, 'yes');
  log.error({}, 'yes');
  assert.equal(lines.length, 2);
});

test('secrets are hidden by the name of their field, at any depth and in any spelling', () => {
  const { log, lines } = recorded();
  const secret = 'tr0ub4dor';
  log.info({ password: secret, auth_token: secret, authToken: secret, AUTHORIZATION: secret }, 'a');
  log.info({ headers: { 'Proxy-Authorization': secret, cookie: [secret] }, legs: [{ secret }] }, 'b');
  log.info({ err: Object.assign(new Error('x'), { detail: { ha1: secret } }) }, 'c');
  log.info({ cause: new Error('y', { cause: { secrets: { key: secret } } }) }, 'd');
  assert.equal(lines.length, 4);
  for (const line of lines) {
    assert.doesNotMatch(line, new RegExp(secret));
    assert.match(line, /\[hidden\]/);
  }
});

test('secrets are hidden inside texts: header fields and URLs', () => {
  const { log, lines, last } = recorded();
  const message = 'REGISTER sip:a SIP/2.0\r\nAuthorization: Digest response="abc"\r\nExpires: 60\r\n';
  log.info(
    { message: { text: message }, url: 'postgres://me:pw@db:5432/x', to: 'sip:alice@example.org' },
    'x',
  );
  assert.doesNotMatch(lines[0] as string, /abc|me:pw/);
  assert.match(lines[0] as string, /Expires: 60/);
  assert.equal(last().url, 'postgres://[hidden]@db:5432/x');
  assert.equal(last().to, 'sip:alice@example.org');
});

test('logging does not change the logged object, and accepts cycles and bytes', () => {
  const { log, last } = recorded();
  const fields: Record<string, unknown> = { password: 'p', samples: new Int16Array(80) };
  fields.self = fields;
  log.info(fields, 'x');
  assert.equal(fields.password, 'p');
  assert.equal(last().samples, '[160 bytes]');
});

test('an error keeps its type, message, stack and code', () => {
  const { log, last } = recorded();
  log.error({ err: Object.assign(new TypeError('broken'), { code: 'E_X' }) }, 'x');
  const err = last().err as Record<string, string>;
  assert.equal(err.type, 'TypeError');
  assert.equal(err.message, 'broken');
  assert.equal(err.code, 'E_X');
  assert.match(err.stack ?? '', /logger\.test\.ts/);
});
