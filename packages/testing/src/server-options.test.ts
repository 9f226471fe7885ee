import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { createWorld, skippedOnServer } from './index.ts';

const account = { authId: 'MA0123456789ABCDEFGH', authToken: 'token-of-a-test-world' };

describe('the server of a world', () => {
  afterEach(() => {
    for (const name of ['JACKFIELD_TEST_SERVER', 'JACKFIELD_TEST_SIP']) delete process.env[name];
  });

  it('is refused with what is allowed when its URL cannot be used', async () => {
    await assert.rejects(createWorld({ server: { url: 'localhost:8080', ...account } }), {
      code: 'bad-option',
      message:
        /^server\.url is "localhost:8080": use the URL of a server, such as "http:\/\/127\.0\.0\.1:8080"\.$/,
    });
    await assert.rejects(createWorld({ server: { url: 'http://127.0.0.1:1', sip: 'sip:x', ...account } }), {
      code: 'bad-option',
      message: /^server\.sip is "sip:x": use the host and the port/,
    });
  });

  it('is named by the shell with its account', async () => {
    assert.equal(skippedOnServer('slow'), false);
    process.env.JACKFIELD_TEST_SERVER = 'http://127.0.0.1:8080';
    assert.equal(skippedOnServer('slow'), 'on a server: slow');
    await assert.rejects(createWorld(), {
      code: 'bad-option',
      message: /^JACKFIELD_TEST_SERVER has no URL with a user and a password: use the first account/,
    });
  });

  it('that does not answer is named with the request', async () => {
    process.env.JACKFIELD_TEST_SERVER = `http://${account.authId}:${account.authToken}@127.0.0.1:9`;
    await assert.rejects(createWorld(), {
      code: 'server-unreachable',
      message:
        /^POST http:\/\/127\.0\.0\.1:9\/v1\/Account\/MA0123456789ABCDEFGH\/Subaccount\/ was not answered \(.+\): start the server/,
    });
  });
});
