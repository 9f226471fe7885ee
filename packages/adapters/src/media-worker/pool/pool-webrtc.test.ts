import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  agreedWithBrowser,
  browserDtls,
  iceOf,
  type LoopbackBrowser,
  openBrowser,
} from '../testing/loopback-browser.ts';
import { agreedWith, createPhone } from '../testing/loopback-phone.ts';
import { untilHears } from '../testing/until-hears.ts';
import { createMediaPool, type MediaPool } from './media-pool.ts';
import type { MediaPoolOptions } from './pool-workers.ts';

const webrtcPort = 8920;
const { dtls, skip } = await browserDtls();

async function start(context: TestContext, options: Partial<MediaPoolOptions> = {}): Promise<MediaPool> {
  const media = await createMediaPool({
    host: '127.0.0.1',
    ports: { first: 9200, last: 9279 },
    webrtcPort,
    workers: 2,
    onFatal: (error) => assert.fail(error),
    onWebrtcOff: (problem) => assert.fail(problem),
    ...options,
  });
  context.after(() => media.closeAll());
  return media;
}

/** A browser with an open leg without an agreement, and the port of the leg. */
async function ringing(context: TestContext, media: MediaPool, leg: string, hz: number) {
  const { port } = await media.open(leg, iceOf(leg));
  const browser = await openBrowser(dtls, hz, port);
  context.after(() => browser.close());
  return { browser, port };
}

async function talking(context: TestContext, media: MediaPool, leg: string, hz: number) {
  const { browser, port } = await ringing(context, media, leg, hz);
  media.connect(leg, agreedWithBrowser(browser, iceOf(leg)));
  await join(browser, leg);
  return { browser, port };
}

async function join(browser: LoopbackBrowser, leg: string): Promise<void> {
  assert.equal(await browser.check(iceOf(leg)), 'success');
  await browser.shakeHands();
  browser.talk();
}

function meet(media: MediaPool, mix: string, legs: readonly string[]): void {
  media.send({ do: 'open-mix', mix });
  const members = legs.map((leg) => ({ leg, hears: legs.filter((other) => other !== leg) }));
  media.send({ do: 'set-hearing', mix, members });
}

async function assertNothingIsLeft(media: MediaPool): Promise<void> {
  const { legs, mixes, sockets, ciphers, sources, handshakes } = await media.census();
  assert.deepEqual(
    { legs, mixes, sockets, ciphers, sources, handshakes },
    { legs: 0, mixes: 0, sockets: 0, ciphers: 0, sources: 0, handshakes: 0 },
  );
}

for (const sockets of ['native', 'dgram'] as const) {
  test(`browsers at the ports of two workers hear each other in one room, and then a phone in another (${sockets})`, {
    skip,
  }, async (context) => {
    const media = await start(context, { sockets });
    const a = await talking(context, media, 'a', 700);
    const b = await talking(context, media, 'b', 1900);
    assert.deepEqual([a.port, b.port], [webrtcPort, webrtcPort + 1]);
    meet(media, 'm', ['a', 'b']);
    await Promise.all([untilHears(a.browser, 1900), untilHears(b.browser, 700)]);
    assert.equal((await media.stats()).leaks, 0);
    media.send({ do: 'close-mix', mix: 'm' });

    const { port } = await media.open('c');
    const c = await createPhone(1200, port);
    context.after(() => c.close());
    media.connect('c', agreedWith(c));
    // The room of the phone is where it is; both browsers go there, one of them back to its port's worker or on from it.
    meet(media, 'n', ['c']);
    meet(media, 'n', ['a', 'b', 'c']);
    await Promise.all([untilHears(a.browser, 1200, 1900), untilHears(b.browser, 700, 1200)]);
    media.send({ do: 'close-mix', mix: 'n' });
    const closed = await Promise.all(['a', 'b', 'c'].map((leg) => media.close(leg)));
    for (const { packetsReceived, strangersDropped, unauthenticatedDropped } of closed)
      assert.deepEqual([packetsReceived > 0, strangersDropped, unauthenticatedDropped], [true, 0, 0]);
    await assertNothingIsLeft(media);
    // The pairs of the relays belong to their workers again.
    const again = await Promise.all(Array.from({ length: 40 }, (_, n) => media.open(`again-${n}`)));
    assert.equal(new Set(again.map(({ port: each }) => each)).size, 40);
  });
}

test('a browser that joins a room elsewhere before its handshake and before its answer is heard there', {
  skip,
}, async (context) => {
  const media = await start(context);
  const a = await talking(context, media, 'a', 700);
  const b = await ringing(context, media, 'b', 1900);
  meet(media, 'm', ['a', 'b']);
  media.connect('b', agreedWithBrowser(b.browser, iceOf('b')));
  await join(b.browser, 'b');
  await Promise.all([untilHears(a.browser, 1900), untilHears(b.browser, 700)]);

  // A later agreement, and a network change with it: the credentials and the source are new.
  media.connect('b', agreedWithBrowser(b.browser, iceOf('2')));
  await b.browser.move();
  assert.equal(await b.browser.check(iceOf('2')), 'success');
  await Promise.all([untilHears(a.browser, 1900), untilHears(b.browser, 700)]);

  // Nothing passes under another certificate.
  const other = agreedWithBrowser(b.browser, iceOf('2'));
  const value = Array.from({ length: 32 }, () => 'AB').join(':');
  media.connect('b', {
    ...other,
    protection: { by: 'dtls', fingerprints: [{ hash: 'sha-256', value }], ice: iceOf('2') },
  });
  // The workers have answered, so they have the certificate.
  await media.census();
  await untilHears(a.browser);
  media.send({ do: 'close-mix', mix: 'm' });
  await Promise.all(['a', 'b'].map((leg) => media.close(leg)));
  await assertNothingIsLeft(media);
});

test('a browser’s leg in another worker accepts packets only from its relay', { skip }, async (context) => {
  const media = await start(context);
  const a = await talking(context, media, 'a', 700);
  const b = await talking(context, media, 'b', 1900);
  meet(media, 'm', ['a', 'b']);
  await untilHears(a.browser, 1900);
  // The first pair of the second worker's part is that of the relay.
  const stranger = await openBrowser(dtls, 1200, 9240);
  context.after(() => stranger.close());
  stranger.send(50);
  await Promise.all([untilHears(a.browser, 1900), untilHears(b.browser, 700)]);
  assert.equal(stranger.arrived, 0);
  const { packetsLost, strangersDropped, unauthenticatedDropped } = await media.close('b');
  assert.deepEqual([packetsLost < 10, strangersDropped, unauthenticatedDropped], [true, 0, 0]);
});

test('a browser whose offer is refused continues with its own port, also after a move', {
  skip,
}, async (context) => {
  const media = await start(context);
  await talking(context, media, 'a', 700);
  await media.open('b', iceOf('b'));
  meet(media, 'm', ['a', 'b']);
  const { port, webrtc } = await media.open('b');
  assert.ok(port >= 9200 && port <= 9279 && webrtc === undefined);
  const b = await createPhone(1900, port);
  context.after(() => b.close());
  media.connect('b', agreedWith(b));
  await untilHears(b, 700);
  media.send({ do: 'close-mix', mix: 'm' });
  await Promise.all(['a', 'b'].map((leg) => media.close(leg)));
  await assertNothingIsLeft(media);
});

test('the death of the worker with its port ends a browser’s leg in another one; so does that of its room', {
  skip,
}, async (context) => {
  for (const dies of [0, 1]) {
    const lost: string[] = [];
    const died = Promise.withResolvers<void>();
    const media = await start(context, { onWorkerDeath: () => died.resolve() });
    media.subscribe((notice) => notice.type === 'media-lost' && lost.push(notice.leg));
    const a = await talking(context, media, 'a', 700);
    await talking(context, media, 'b', 1900);
    meet(media, 'm', ['a', 'b']);
    await untilHears(a.browser, 1900);
    media.kill(dies);
    await died.promise;
    // The room is in the first worker, and the port of the second browser in the second one.
    assert.deepEqual(lost.sort(), dies === 0 ? ['a', 'b'] : ['b']);
    await media.restarted();
    media.send({ do: 'close-mix', mix: 'm' });
    await Promise.all(['a', 'b'].map((leg) => media.close(leg)));
    await assertNothingIsLeft(media);
    const again = await talking(context, media, 'again', 1200);
    assert.ok(again.port === webrtcPort || again.port === webrtcPort + 1);
    await media.closeAll();
  }
});

test('browsers use the ports of the other workers if one worker has none', { skip }, async (context) => {
  const taken = await createMediaPool({
    host: '127.0.0.1',
    ports: { first: 9280, last: 9299 },
    webrtcPort,
    workers: 1,
  });
  context.after(() => taken.closeAll());
  const problems: string[] = [];
  const media = await start(context, { onWebrtcOff: (problem) => problems.push(problem) });
  assert.match(problems.join(), /^UDP port 8920 cannot be bound: /);
  assert.equal(media.hasWebrtc, true);
  const a = await talking(context, media, 'a', 700);
  const b = await talking(context, media, 'b', 1900);
  assert.deepEqual([a.port, b.port], [webrtcPort + 1, webrtcPort + 1]);
  meet(media, 'm', ['a', 'b']);
  await Promise.all([untilHears(a.browser, 1900), untilHears(b.browser, 700)]);
});
