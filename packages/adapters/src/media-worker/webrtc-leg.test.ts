import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { type TestContext, test } from 'node:test';
import { toneLevel } from '@jackfield/media';
import { createMediaWorker, type MediaWorker, type MediaWorkerOptions } from './media-worker.ts';
import {
  agreedWithBrowser,
  browserDtls,
  iceOf,
  type LoopbackBrowser,
  openBrowser,
} from './testing/loopback-browser.ts';
import { untilHears } from './testing/until-hears.ts';

const webrtcPort = 8900;
type Host = '127.0.0.1' | '::1';
const hasIpv6 = Object.values(networkInterfaces()).some((each) =>
  each?.some(({ address }) => address === '::1'),
);
const lacksIpv6 = hasIpv6 ? false : 'this machine has no ::1';
const { dtls, skip } = await browserDtls();

async function start(context: TestContext, options: Partial<MediaWorkerOptions> = {}): Promise<MediaWorker> {
  const media = await createMediaWorker({
    host: '127.0.0.1',
    ports: { first: 9000, last: 9199 },
    webrtcPort,
    onWebrtcOff: (problem) => assert.fail(problem),
    ...options,
  });
  context.after(() => media.closeAll());
  assert.equal(media.hasWebrtc, true);
  return media;
}

/** A browser with an open leg. */
async function browserOf(
  context: TestContext,
  media: MediaWorker,
  leg: string,
  hz: number,
  transport: 'udp' | 'tcp' = 'udp',
  host: Host = '127.0.0.1',
): Promise<LoopbackBrowser> {
  const { port, webrtc } = await media.open(leg, iceOf(leg));
  assert.equal(port, webrtcPort);
  assert.match(webrtc!.fingerprint.value, /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  const browser = await openBrowser(dtls, hz, port, transport, host);
  context.after(() => browser.close());
  return browser;
}

function hearEachOther(media: MediaWorker): void {
  media.send({ do: 'open-mix', mix: 'm' });
  media.send({
    do: 'set-hearing',
    mix: 'm',
    members: [
      { leg: 'a', hears: ['b'] },
      { leg: 'b', hears: ['a'] },
    ],
  });
}

async function assertNothingIsLeft(media: MediaWorker): Promise<void> {
  const { legs, sockets, ciphers, sources, handshakes } = await media.census();
  assert.deepEqual(
    { legs, sockets, ciphers, sources, handshakes },
    { legs: 0, sockets: 0, ciphers: 0, sources: 0, handshakes: 0 },
  );
}

for (const [sockets, host] of [
  ['dgram', '127.0.0.1'],
  ['native', '127.0.0.1'],
  ['dgram', '::1'],
  ['native', '::1'],
] as const) {
  for (const transport of ['udp', 'tcp'] as const) {
    test(`two browsers hear each other through one port (${transport}, ${sockets}, ${host})`, {
      skip: skip || (host === '::1' && lacksIpv6),
    }, async (context) => {
      const media = await start(context, { sockets, host });
      const browsers: LoopbackBrowser[] = [];
      for (const [leg, hz] of [
        ['a', 700],
        ['b', 1900],
      ] as const) {
        const browser = await browserOf(context, media, leg, hz, transport, host);
        media.connect(leg, agreedWithBrowser(browser, iceOf(leg)));
        assert.equal(await browser.check(iceOf(leg)), 'success');
        await browser.shakeHands();
        browsers.push(browser);
      }
      hearEachOther(media);
      const [a, b] = browsers as [LoopbackBrowser, LoopbackBrowser];
      for (const browser of browsers) browser.talk();
      await Promise.all([untilHears(a, 1900), untilHears(b, 700)]);
      const { sources, handshakes, connections, sockets: pairs } = await media.census();
      assert.deepEqual({ handshakes, pairs }, { handshakes: 0, pairs: 0 }, 'the handshakes are freed');
      assert.deepEqual([sources, connections], transport === 'udp' ? [2, 0] : [0, 2]);
      const statistics = await media.close('a');
      assert.equal(statistics.protection, 'AES_CM_128_HMAC_SHA1_80');
      assert.equal(statistics.unauthenticatedDropped + statistics.strangersDropped, 0);
      await media.close('b');
      await assertNothingIsLeft(media);
    });
  }
}

test('the first packet of a browser is accepted: a checked source needs no probation', {
  skip,
}, async (context) => {
  const media = await start(context);
  const browser = await browserOf(context, media, 'a', 700);
  media.connect('a', agreedWithBrowser(browser, iceOf('a')));
  await browser.check(iceOf('a'));
  await browser.shakeHands();
  const heard = browser.hear(3);
  browser.send(5);
  await heard;
  // The answer proves that the packets before it were read.
  await browser.check(iceOf('a'));
  const statistics = await media.close('a');
  assert.deepEqual([statistics.packetsReceived, statistics.packetsLost], [5, 0]);
  await assertNothingIsLeft(media);
});

test('a handshake before the answer waits for it: no packet passes until the fingerprint is known', {
  skip,
}, async (context) => {
  const media = await start(context);
  const browser = await browserOf(context, media, 'a', 700);
  await browser.check(iceOf('a'));
  await browser.shakeHands();
  browser.send(5);
  // The answer proves that the packets before it were read.
  await browser.check(iceOf('a'));
  assert.equal((await media.census()).handshakes, 1);
  const before = browser.arrived;
  media.connect('a', agreedWithBrowser(browser, iceOf('a')));
  const heard = browser.hear(3);
  await heard;
  assert.ok(browser.arrived > before);
  browser.send(2);
  await browser.hear(2);
  await browser.check(iceOf('a'));
  assert.equal((await media.close('a')).packetsReceived, 2);
  await assertNothingIsLeft(media);
});

test('a certificate with another fingerprint gets no audio and none of its packets passes', {
  skip,
}, async (context) => {
  const media = await start(context, { mediaSilentMs: 300 });
  const silent = Promise.withResolvers<void>();
  media.subscribe(({ type }) => type === 'media-silent' && silent.resolve());
  const browser = await browserOf(context, media, 'a', 700);
  const agreed = agreedWithBrowser(browser, iceOf('a'));
  const value = Array.from({ length: 32 }, () => 'AB').join(':');
  const protection = { by: 'dtls', fingerprints: [{ hash: 'sha-256', value }], ice: iceOf('a') } as const;
  media.connect('a', { ...agreed, protection });
  await browser.check(iceOf('a'));
  await browser.shakeHands();
  browser.send(5);
  await silent.promise;
  const { packetsReceived, packetsSent } = await media.close('a');
  assert.deepEqual({ packetsReceived, packetsSent }, { packetsReceived: 0, packetsSent: 0 });
  await assertNothingIsLeft(media);
});

test('an ICE restart moves a call to another source without another handshake', { skip }, async (context) => {
  const media = await start(context);
  const browser = await browserOf(context, media, 'a', 700);
  media.connect('a', agreedWithBrowser(browser, iceOf('a')));
  await browser.check(iceOf('a'));
  await browser.shakeHands();
  browser.send(3);
  await browser.hear(2);
  media.connect('a', agreedWithBrowser(browser, iceOf('2')));
  await browser.move();
  assert.equal(await browser.check(iceOf('2')), 'success');
  browser.send(4);
  await browser.hear(3);
  assert.equal(
    await browser.check(iceOf('a'), { waitMs: 200 }),
    undefined,
    'the old password is no longer valid',
  );
  // The answer proves that the packets before it were read.
  assert.equal(await browser.check(iceOf('2')), 'success');
  assert.equal((await media.close('a')).packetsReceived, 7);
  await assertNothingIsLeft(media);
});

test('a flood of unknown senders on the shared port gets no answer and leaves a call undisturbed', {
  skip,
}, async (context) => {
  const media = await start(context);
  const browser = await browserOf(context, media, 'a', 700);
  media.connect('a', agreedWithBrowser(browser, iceOf('a')));
  await browser.check(iceOf('a'));
  await browser.shakeHands();
  const stranger = await openBrowser(dtls, 700, webrtcPort);
  context.after(() => stranger.close());
  browser.talk();
  await browser.hear(10);
  const guess = iceOf('a').fragment;
  for (let wave = 0; wave < 50; wave++) {
    for (let n = 0; n < 100; n++) {
      const bytes = new Uint8Array(randomBytes(200));
      bytes[0] = [0, 22, 128][n % 3]!;
      stranger.sendRaw(bytes);
    }
    await stranger.check({ fragment: guess, password: 'wrong' }, { waitMs: 5 });
    // As fast as the port reads: the answer proves that all before it was read, and nothing overflows.
    await browser.check(iceOf('a'));
  }
  await browser.hear(20);
  assert.equal(stranger.arrived, 0);
  const { webrtc } = await media.stats();
  assert.ok(webrtc!.strangers > 1000 && webrtc!.checksRefused > 50, JSON.stringify(webrtc));
  const { packetsLost, packetsReceived, strangersDropped } = await media.close('a');
  assert.ok(packetsReceived > 30);
  assert.deepEqual([packetsLost, strangersDropped], [0, 0]);
  await assertNothingIsLeft(media);
});

test('a flood of ClientHellos, of unknown senders and over a checked path, takes no memory and leaves a call undisturbed', {
  skip,
}, async (context) => {
  const media = await start(context);
  const [a, b] = [await browserOf(context, media, 'a', 700), await browserOf(context, media, 'b', 1900)];
  for (const [leg, browser] of [['a', a] as const, ['b', b] as const]) {
    media.connect(leg, agreedWithBrowser(browser, iceOf(leg)));
    await browser.check(iceOf(leg));
    await browser.shakeHands();
    browser.talk();
  }
  hearEachOther(media);
  await Promise.all([a.hear(15), b.hear(15)]);
  const hellos = Array.from({ length: 200 }, () => {
    const session = dtls.open('client');
    const flight = session.take();
    session.close();
    return flight;
  });
  const stranger = await openBrowser(dtls, 700, webrtcPort);
  context.after(() => stranger.close());
  // Has an account and a call, and never ends a handshake.
  const caller = await browserOf(context, media, 'c', 700);
  media.connect('c', agreedWithBrowser(caller, iceOf('c')));
  await caller.check(iceOf('c'));
  const wave = async () => {
    for (let n = 0; n < 4000; n++) {
      const from = n % 2 === 0 ? stranger : caller;
      for (const datagram of hellos[n % hellos.length]!) from.sendRaw(datagram);
      // As fast as the port reads: the answer proves that all before it was read, and nothing overflows.
      if (n % 40 === 39) await caller.check(iceOf('c'));
    }
  };
  await wave();
  const wholeFrames = (samples: Int16Array, hz: number): number => {
    const frames = Array.from({ length: 40 }, (_, n) => samples.subarray(160 * n, 160 * (n + 1)));
    return frames.filter((frame) => toneLevel(frame, 8000, hz) > -15).length;
  };
  // The talkers share the thread of the flood, and a heap grows by itself now and then: what a flood does, it does each time.
  const mostGrown = 16 * 2 ** 20;
  let [grown, whole] = [Number.POSITIVE_INFINITY, 0];
  for (let flood = 0; flood < 4 && (grown >= mostGrown || whole < 30); flood++) {
    const before = process.memoryUsage().rss;
    const heard = Promise.all([a.hear(40), b.hear(40)]);
    for (let n = 0; n < 3; n++) await wave();
    grown = Math.min(grown, process.memoryUsage().rss - before);
    const [atA, atB] = await heard;
    whole = Math.max(whole, Math.min(wholeFrames(atA, 1900), wholeFrames(atB, 700)));
  }
  assert.ok(whole >= 30, `${whole} of 40 frames have the whole tone`);
  assert.ok(grown < mostGrown, `${grown} bytes`);
  assert.ok((await media.census()).handshakes <= 1);
  assert.equal(stranger.arrived, 0);
  const { webrtc } = await media.stats();
  assert.ok(webrtc!.strangers > 4000, JSON.stringify(webrtc));
  await media.close('c');
  for (const leg of ['a', 'b']) assert.equal((await media.close(leg)).packetsLost, 0);
  await assertNothingIsLeft(media);
});

test('a leg of WebRTC whose offer is refused continues with its own ports', { skip }, async (context) => {
  const media = await start(context);
  await media.open('a', iceOf('a'));
  const { port, webrtc } = await media.open('a');
  assert.ok(port < 9200 && webrtc === undefined);
  await assert.rejects(media.open('a', iceOf('a')), /is open/);
  await media.close('a');
  await assertNothingIsLeft(media);
});

test('without a port, legs of WebRTC are refused', async (context) => {
  const media = await createMediaWorker({ host: '127.0.0.1', ports: { first: 9000, last: 9199 } });
  context.after(() => media.closeAll());
  assert.equal(media.hasWebrtc, false);
  await assert.rejects(media.open('a', iceOf('a')), { code: 'WEBRTC_OFF' });
  assert.equal((await media.census()).legs, 0);
});

test('a port that another program has turns WebRTC off with a sentence', { skip }, async (context) => {
  await start(context);
  const problems: string[] = [];
  const media = await createMediaWorker({
    host: '127.0.0.1',
    ports: { first: 9000, last: 9199 },
    webrtcPort,
    onWebrtcOff: (problem) => problems.push(problem),
  });
  context.after(() => media.closeAll());
  assert.match(problems.join(), /^UDP port 8900 cannot be bound: /);
  assert.equal(media.hasWebrtc, false);
});
