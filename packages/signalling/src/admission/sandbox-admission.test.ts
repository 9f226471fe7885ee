import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHeaders, type SipRequest } from '@jackfield/sip';
import { admitAll } from './admission.ts';
import { createSandboxAdmission } from './sandbox-admission.ts';

const request = (method: string, leg?: string): SipRequest => ({
  kind: 'request',
  method,
  uri: 'sip:+12025550100@sip.example.com',
  headers: createHeaders(leg === undefined ? [] : [['X-CallUUID', leg]]),
  body: '',
});

/** The account that each request is admitted for; the sandbox expects one call of `leg-1`. */
async function accountsOf(...requests: readonly SipRequest[]): Promise<readonly (string | undefined)[]> {
  const expected = new Map([['leg-1', { account: 'sandbox', from: '+12025550199' }]]);
  const admission = createSandboxAdmission({
    expected(leg) {
      const call = expected.get(leg);
      expected.delete(leg);
      return call as never;
    },
    otherwise: admitAll('other'),
  });
  const accounts: (string | undefined)[] = [];
  for (const each of requests) {
    const admitted = await admission.admit(each, '192.0.2.1', 'udp-1');
    accounts.push(admitted.ok ? admitted.account : undefined);
  }
  return accounts;
}

test('the sandbox admits the call that it has ordered, once', async () => {
  assert.deepEqual(await accountsOf(request('INVITE', 'leg-1'), request('INVITE', 'leg-1')), [
    'sandbox',
    'other',
  ]);
});

test('the sandbox passes on other calls, and other requests with the leg of an ordered call', async () => {
  const others = [request('INVITE'), request('INVITE', 'leg-2'), request('REGISTER', 'leg-1')];
  assert.deepEqual(await accountsOf(...others), ['other', 'other', 'other']);
});
