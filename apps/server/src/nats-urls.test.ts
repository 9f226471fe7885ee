import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asNatsUrls } from './nats-urls.ts';

test('several servers share the scheme and the credentials of the first URL', () => {
  assert.deepEqual(asNatsUrls('tls://me:p%40ss@one.example.com:4333, tls://two.example.com'), {
    servers: ['one.example.com:4333', 'two.example.com:4222'],
    isTls: true,
    credentials: { user: 'me', password: 'p@ss' },
  });
});

test('a user without a password is a token, and a URL without a user has no credentials', () => {
  assert.deepEqual(asNatsUrls('nats://s3cret@[::1]:4222')?.credentials, { token: 's3cret' });
  assert.deepEqual(asNatsUrls('nats://127.0.0.1'), { servers: ['127.0.0.1:4222'], isTls: false });
});
