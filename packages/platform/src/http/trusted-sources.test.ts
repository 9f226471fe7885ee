import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '@jackfield/adapters/metrics';
import { createSecrets } from '@jackfield/adapters/secrets';
import { basic, createRecordingLog, createVirtualClock, eachDatabase } from '@jackfield/testkit';
import { accepted } from '../kernel/result.ts';
import { createHttpApi } from './http-api.ts';
import { route } from './route.ts';

const thing = route({
  method: 'GET',
  path: 'Thing/',
  operation: 'See a thing',
  schema: {},
  success: 200,
  run: async () => accepted({}),
});
const guess = { authId: 'MAXXXXXXXXXXXXXXXXXX', authToken: 'wrong' };

eachDatabase('Trusted sources', (open) => {
  /** Asks with wrong credentials; two such failures are allowed. */
  async function failing(trustedSources: readonly string[]) {
    const { http: app } = createHttpApi({
      features: [{ name: 'Things', routes: [thing] }],
      accounts: { authenticate: async () => ({ outcome: 'wrong-credentials' }) },
      database: await open([]),
      clock: createVirtualClock(),
      log: createRecordingLog(),
      metrics: createMetrics(),
      secrets: createSecrets(new Uint8Array(32).fill(1)),
      ready: () => true,
      limits: { failedAuthentications: 2 },
      trustedSources,
    });
    return async (remoteAddress: string, forwardedFor?: string) => {
      const { statusCode } = await app.inject({
        url: `/v1/Account/${guess.authId}/Thing/`,
        remoteAddress,
        headers: {
          authorization: basic(guess),
          ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }),
        },
      });
      return statusCode;
    };
  }

  test('a trusted proxy names the addresses of its clients: each client has failures of its own', async () => {
    const ask = await failing(['192.0.2.0/24']);
    for (let time = 0; time < 2; time += 1) assert.equal(await ask('192.0.2.1', '198.51.100.1'), 401);
    assert.equal(await ask('192.0.2.1', '198.51.100.1'), 429);
    assert.equal(await ask('192.0.2.1', '198.51.100.2'), 401);
  });

  test('an untrusted source is counted under its own address, whatever it claims', async () => {
    const ask = await failing(['192.0.2.0/24']);
    for (let time = 0; time < 2; time += 1) assert.equal(await ask('203.0.113.1', `198.51.100.${time}`), 401);
    assert.equal(await ask('203.0.113.1', '198.51.100.3'), 429);
  });

  test('a program on a trusted address is not refused for its mistakes', async () => {
    const ask = await failing(['192.0.2.0/24']);
    for (let time = 0; time < 9; time += 1) assert.equal(await ask('192.0.2.1'), 401);
  });
});
