import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readToken } from './client-token.ts';

const tokenOf = (payload: object) => `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`;

test('A token names its user and its end', () => {
  const text = tokenOf({ sub: 'alice~?', iss: 'MA1', nbf: 0, exp: 1000 });
  assert.deepEqual(readToken(text, 5), { text, user: 'alice~?_MA1', expiresAt: 1_000_000 });
  assert.equal(readToken(tokenOf({ sub: '', iss: 'MA1', nbf: 0, exp: 1000 }), 5)?.user, 'puser5jt_MA1');
});

test('A token has its whole life by a clock that is outside of its time', () => {
  const expiresAt = (now: number) =>
    readToken(tokenOf({ iss: 'MA1', nbf: 100, exp: 280 }), now * 1000)!.expiresAt / 1000;
  assert.deepEqual([99, 100, 279, 280, 3880].map(expiresAt), [279, 280, 280, 460, 4060]);
});

test('A text that is no token is undefined', () => {
  for (const text of [
    '',
    'a.b.c',
    tokenOf({ iss: 'MA1', nbf: 1 }),
    tokenOf({ nbf: 1, exp: 5 }),
    tokenOf({ iss: 'MA1', exp: 5 }),
  ])
    assert.equal(readToken(text, 0), undefined);
});
