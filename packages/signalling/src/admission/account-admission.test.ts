import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientTokens } from '@jackfield/ports';
import { createHeaders, type SipRequest } from '@jackfield/sip';
import { createRecordingLog, createVirtualClock } from '@jackfield/testkit';
import { createAccountAdmission } from './account-admission.ts';
import { createCarrierAdmission } from './carrier-admission.ts';
import { createTokenAdmission } from './token-admission.ts';

const carrierAddress = '192.0.2.7';

function request(method: string, uri: string, headers: readonly (readonly [string, string])[]): SipRequest {
  return { kind: 'request', method, uri, headers: createHeaders(headers), body: '', sourceAddress: '' };
}

test('a disabled subaccount gets 403 with a client token and through a carrier, and is admitted again once enabled', async () => {
  let isActive = true;
  let refused = 0;
  const tokens: Pick<ClientTokens, 'admit'> = {
    admit: async (_token, user) => ({
      account: 'SA',
      endpoint: 'e',
      application: undefined,
      user,
      expiresAt: 0,
      mayCall: true,
      mayReceive: true,
    }),
  };
  const carried = createCarrierAdmission({
    carriers: [{ name: 'alpha', host: carrierAddress, addresses: [] }],
    account: () => 'SA',
    clock: createVirtualClock(),
    log: createRecordingLog(),
    domains: ['sip.example.com'],
    otherwise: createTokenAdmission({
      tokens: tokens as ClientTokens,
      otherwise: {
        admit: async () => assert.fail('only requests with a token or from a carrier are expected'),
      },
    }),
  });
  const admission = createAccountAdmission({
    isActive: async (account) => account === 'SA' && isActive,
    refused: () => {
      refused += 1;
    },
    otherwise: carried,
  });
  const client = [
    ['From', '<sip:alice@sip.example.com>;tag=1'],
    ['To', '<sip:alice@sip.example.com>'],
    ['X-Plivo-Jwt', 'token'],
  ] as const;
  const ask = () =>
    Promise.all([
      admission.admit(request('REGISTER', 'sip:sip.example.com', client), '198.51.100.1', 'f'),
      admission.admit(request('INVITE', 'sip:bob@sip.example.com', client), '198.51.100.1', 'f'),
      admission.admit(request('INVITE', 'sip:+12025550100@sip.example.com', []), carrierAddress, 'f'),
    ]);
  const outcome = async () => (await ask()).map((each) => (each.ok ? each.account : each.status));
  assert.deepEqual(await outcome(), ['SA', 'SA', 'SA']);
  isActive = false;
  assert.deepEqual(await outcome(), [403, 403, 403]);
  assert.equal(refused, 3);
  isActive = true;
  assert.deepEqual(await outcome(), ['SA', 'SA', 'SA']);
  carried.close();
});
