import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { AgreedMedia } from '@jackfield/ports';
import { createRecordingLog } from '@jackfield/testkit';
import { audioReach, confineCaller, confinedAudio, dialledAudioReach, dialTerms } from './dial-terms.ts';

const trunk = { trunk: '1', account: 'MA1', mainAccount: 'MA1' };
const mayReach = (address: string) => address === '192.0.2.1';
const log = createRecordingLog();
const leg = 'leg';
const deps = {
  log,
  accounts: (name: string) => (name === 'alpha' ? { username: 'carrier', password: 'x' } : undefined),
  trunkLogin: async (name: string) =>
    name === 'uri/1' || name === 'alpha' ? { username: 'pbx', password: 'pässwörd' } : undefined,
  mayReach,
};

test('a carrier gets the operator’s credentials, and may have any address', async () => {
  const target = { uri: 'sip:+1@10.0.0.1', account: 'alpha' };
  assert.deepEqual(await dialTerms(deps, { leg, targets: [target] }), {
    credentials: { username: 'carrier', password: 'x' },
  });
});

test('a target of a trunk gets only the customer’s credentials, and must have an address open to customers', async () => {
  for (const account of ['uri/1', 'alpha']) {
    const { credentials, reaches } = await dialTerms(deps, {
      leg,
      targets: [{ uri: 'sip:+1@192.0.2.1', trunk, account }],
    });
    // As bytes of UTF-8, the input of a digest (RFC 7616 §4).
    const password = Buffer.from('pässwörd').toString('latin1');
    assert.deepEqual(credentials, { username: 'pbx', password });
    assert.deepEqual([reaches?.('192.0.2.1'), reaches?.('10.0.0.1')], [true, false]);
    assert.deepEqual(log.lines.at(-1)?.fields, { leg, address: '10.0.0.1' });
  }
  const unknown = await dialTerms(deps, {
    leg,
    targets: [{ uri: 'sip:+1@192.0.2.1', trunk, account: 'uri/2' }],
  });
  assert.deepEqual(Object.keys(unknown), ['reaches']);
});

test('several targets of one call get no credentials, and targets that the operator named may have any address', async () => {
  const targets = [{ uri: 'sip:a@10.0.0.1', account: 'alpha' }, { uri: 'sip:a@10.0.0.2' }];
  assert.deepEqual(await dialTerms(deps, { leg, targets }), {});
  assert.deepEqual(
    await dialTerms({ log }, { leg, targets: [{ uri: 'sip:a@10.0.0.1', trunk, account: 'uri/1' }] }),
    {},
  );
});

test('requests to the Path or Contact of a phone without a flow go only to addresses open to customers', async () => {
  const path = ['<sip:10.0.0.1;lr>'];
  for (const targets of [
    [{ uri: 'sip:a@192.0.2.9', path }],
    [{ uri: 'sip:a@192.0.2.9', flow: 'tcp-1' }],
    [{ uri: 'sip:a@192.0.2.9', flow: 'tcp-1', otherFlows: [{ uri: 'sip:a@192.0.2.9', path }] }],
  ]) {
    const { reaches } = await dialTerms(deps, { leg, targets });
    assert.deepEqual([reaches?.('192.0.2.1'), reaches?.('10.0.0.1')], [true, false]);
  }
});

test('requests to the Contact of a caller go only to addresses open to customers, or to its source', () => {
  let reaches = (_address: string): boolean => true;
  const sourceAddress = '10.0.0.5';
  const confine = (given: typeof reaches) => {
    reaches = given;
  };
  confineCaller({ log }, leg, { sourceAddress, confine });
  assert.equal(reaches('10.0.0.6'), true);
  confineCaller(deps, leg, { sourceAddress, confine });
  assert.deepEqual(['192.0.2.1', '10.0.0.5', '10.0.0.6'].map(reaches), [true, true, false]);
});

test('audio of trunks goes only to addresses open to customers, that of phones also to private networks, that of carriers anywhere', () => {
  const audioMayReach = (address: string) => address === '10.0.0.1';
  const both = { ...deps, audioMayReach };
  assert.equal(audioReach(both, {}), audioMayReach);
  assert.equal(audioReach(both, { trunk: '1' }), mayReach);
  assert.equal(audioReach(both, { carrier: 'alpha' }), undefined);
  assert.equal(dialledAudioReach(both, [{ uri: 'sip:a@10.0.0.1', flow: 'tcp-1' }]), audioMayReach);
  assert.equal(dialledAudioReach(both, [{ uri: 'sip:+1@10.0.0.1', trunk, account: 'uri/1' }]), mayReach);
  assert.equal(dialledAudioReach(both, [{ uri: 'sip:+1@10.0.0.1', account: 'alpha' }]), undefined);
});

test('audio whose description names a closed address is sent to the source of its signalling', () => {
  const mayName = (address: string) => address === '10.0.0.7';
  const sentTo = (address: string, source: string) =>
    confinedAudio({ address } as AgreedMedia, source, mayName).address;
  assert.equal(sentTo('10.0.0.7', '203.0.113.9'), '10.0.0.7');
  assert.equal(sentTo('203.0.113.9', '203.0.113.9'), '203.0.113.9');
  assert.equal(sentTo('127.0.0.1', '203.0.113.9'), '203.0.113.9');
  assert.equal(sentTo('127.0.0.1', '127.0.0.1'), '127.0.0.1', 'a phone on this machine');
  assert.equal(sentTo('0.0.0.0', '203.0.113.9'), '0.0.0.0', 'RFC 2543 hold');
  assert.equal(confinedAudio({ address: '127.0.0.1' } as AgreedMedia, 'x', undefined).address, '127.0.0.1');
});

/** What signalling keeps of a confined caller until its transactions end, and a reference to the caller. */
function confinedOnce() {
  let reaches: ((address: string) => boolean) | undefined;
  const incoming = {
    sourceAddress: '192.0.2.9',
    confine(allowed: (address: string) => boolean) {
      reaches = allowed;
    },
  };
  confineCaller(deps, leg, incoming);
  return { reaches: reaches!, incoming: new WeakRef(incoming) };
}

test('the confinement of a caller outlives its call without keeping the call in memory', async () => {
  setFlagsFromString('--expose-gc');
  const { reaches, incoming } = confinedOnce();
  await wait(0);
  (runInNewContext('gc') as () => void)();
  assert.equal(incoming.deref(), undefined);
  assert.deepEqual(
    ['192.0.2.9', '192.0.2.1', '10.0.0.1'].map((address) => reaches(address)),
    [true, true, false],
  );
});
