import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readToken } from './client-token.ts';

const tokenOf = (payload: object) => `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`;

test('A token names its user and its end', () => {
  const text = tokenOf({ sub: 'alice~?', iss: 'MA1', exp: 1000 });
  assert.deepEqual(readToken(text, 5), { text, user: 'alice~?_MA1', expiresAt: 1_000_000 });
  assert.equal(readToken(tokenOf({ sub: '', iss: 'MA1', exp: 1000 }), 5)?.user, 'puser5jt_MA1');
});

test('A text that is no token is undefined', () => {
  for (const text of ['', 'a.b.c', tokenOf({ iss: 'MA1' }), tokenOf({ exp: 5 })])
    assert.equal(readToken(text, 0), undefined);
});
