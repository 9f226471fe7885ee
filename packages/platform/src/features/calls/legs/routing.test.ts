import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Binding } from '@jackfield/ports';
import { createRouting } from './routing.ts';

const binding = (contact: string, fields: Partial<Binding> = {}): Binding => ({
  contact,
  flow: `flow of ${contact}`,
  q: 1,
  expiresAt: 1,
  callId: '',
  cseq: 1,
  userAgent: '',
  registeredAt: 0,
  ...fields,
});

async function targetsOf(bindings: readonly Binding[], to = 'alice', known: readonly string[] = []) {
  const routing = createRouting({
    registrations: {
      credentialOf: async (username) => ({
        account: 'MA1',
        endpoint: 'e',
        username,
        ha1: { md5: '', sha256: '' },
      }),
      bindingsOf: async () => bindings,
      knowsInstance: async (_, instance) => known.includes(instance),
      update: () => Promise.reject(new Error('no phone registers here')),
      dropFlow: async () => {},
    },
    numbers: { targetsFor: () => undefined },
    domains: ['sip.example.com'],
    isWithin: async () => true,
    mainAccountOf: async (account) => account,
  });
  const route = await routing.routeTo({ account: 'MA1', mainAccount: 'MA1' }, to);
  return route.ok ? route.targets : route.end.code;
}

const phone = '<urn:uuid:1>';
/** How a target names it, so that dialogs follow it. */
const named = { endpoint: 'e', instance: phone };

test('RFC 5626 §5.3: all phones of a user ring at once, but each of them on one flow, the newest; the others stand by', async () => {
  const targets = await targetsOf([
    binding('sip:1', { instance: phone, regId: 2 }),
    binding('sip:2', { path: ['<sip:proxy;lr>'] }),
    binding('sip:3', { instance: phone, regId: 1 }),
    binding('sip:4', { instance: phone }),
  ]);
  assert.deepEqual(targets, [
    {
      uri: 'sip:1',
      flow: 'flow of sip:1',
      phone: named,
      otherFlows: [{ uri: 'sip:3', flow: 'flow of sip:3', phone: named }],
    },
    { uri: 'sip:2', flow: 'flow of sip:2', phone: { endpoint: 'e' }, path: ['<sip:proxy;lr>'] },
    { uri: 'sip:4', flow: 'flow of sip:4', phone: named },
  ]);
});

test('A phone whose token does not allow to call is called, and its target says that it may not call', async () => {
  const targets = await targetsOf([
    binding('sip:1', { instance: phone, regId: 1, mayCall: false }),
    binding('sip:2', { instance: phone, regId: 2 }),
  ]);
  const otherFlows = [{ uri: 'sip:2', flow: 'flow of sip:2', phone: named }];
  assert.deepEqual(targets, [
    { uri: 'sip:1', flow: 'flow of sip:1', phone: named, mayCall: false, otherFlows },
  ]);
});

test('RFC 5627 §6.1: a GRUU calls one phone of a user; it is there or not (480), or is none at all (404), and never means the others', async () => {
  const bindings = [binding('sip:1', { instance: '<urn:uuid:2>' }), binding('sip:2', { instance: phone })];
  assert.deepEqual(await targetsOf(bindings, 'sip:alice@sip.example.com;gr=urn:uuid:1'), [
    { uri: 'sip:2', flow: 'flow of sip:2', phone: named },
  ]);
  const known = ['<urn:uuid:3>'];
  assert.equal(await targetsOf(bindings, 'sip:alice@sip.example.com;gr=urn:uuid:3', known), 2020);
  assert.equal(await targetsOf(bindings, 'sip:alice@sip.example.com;gr=urn:uuid:4', known), 2000);
  for (const more of [';gr', ';gr=', ';gr;x=1', `;gr=${'x'.repeat(241)}`, ';x=1;GR=']) {
    assert.equal(await targetsOf(bindings, `sip:alice@sip.example.com${more}`, known), 2000, more);
  }
  assert.equal(await targetsOf(bindings, 'sip:+12025550100@sip.example.com;gr=urn:uuid:1'), 2000);
  assert.notEqual(await targetsOf(bindings, 'sip:alice@sip.example.com;grade=1'), 2000);
});
