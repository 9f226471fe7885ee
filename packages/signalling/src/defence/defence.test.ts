import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { FailedLogin, SourceBan } from '@jackfield/ports';
import { createHeaders, type Flow, type SipRequest } from '@jackfield/sip';
import { createVirtualClock } from '@jackfield/testkit';
import type { Admitted, Refused } from '../admission/admission.ts';
import { createSipNonces } from '../admission/sip-nonces.ts';
import { createEdgeProxies } from '../proxies/edge-proxies.ts';
import { createDefence } from './defence.ts';
import type { DefenceLimits } from './defence-limits.ts';

const home = '192.0.2.1';
const refused: Refused = {
  ok: false,
  status: 401,
  headers: [['WWW-Authenticate', 'Digest realm="r", nonce="n"']],
};
const stale: Refused = {
  ...refused,
  headers: [['WWW-Authenticate', 'Digest realm="r", nonce="n", stale=true']],
};
const admitted: Admitted = { ok: true, account: 'MA1', endpoint: 'e', user: 'alice' };

function world(
  limits: Partial<DefenceLimits> = {},
  more: { trusted?: string[]; carrier?: string; neverBanned?: string[]; proxies?: string[] } = {},
) {
  const clock = createVirtualClock();
  const nonces = createSipNonces(createSecrets(new Uint8Array(32).fill(1)));
  const bans: SourceBan[] = [];
  const failures: FailedLogin[] = [];
  const defence = createDefence({
    clock,
    nonces,
    // Refusals arrive at once here, unless a test sets a delay.
    limits: { failuresAnsweredAtOnce: 1e6, ...limits },
    banned: (ban) => void bans.push(ban),
    failed: (login) => void failures.push(login),
    ...(more.proxies === undefined ? {} : { proxies: createEdgeProxies(more.proxies) }),
    ...(more.neverBanned === undefined ? {} : { neverBanned: more.neverBanned }),
    ...(more.trusted === undefined ? {} : { trusted: more.trusted }),
    ...(more.carrier === undefined ? {} : { isTrusted: (address: string) => address === more.carrier }),
  });
  const nonceFor = (address: string) => nonces.issue(clock.now(), address);
  const flowOf = (address: string, port = 5060, reliable = false): Flow => ({
    id: `${reliable ? 'tcp' : 'udp'}-${address}-${port}`,
    protocol: reliable ? 'tcp' : 'udp',
    reliable,
    remoteAddress: address,
    remotePort: port,
    localAddress: '192.0.2.9',
    localPort: 5060,
  });
  const request = (nonce?: string, userAgent = 'Phone', vias: readonly string[] = []): SipRequest => ({
    kind: 'request',
    method: 'REGISTER',
    uri: 'sip:example.com',
    headers: createHeaders([
      ...vias.map((via) => ['Via', via] as const),
      ['User-Agent', userAgent],
      ...(nonce === undefined
        ? []
        : [
            [
              'Authorization',
              `Digest username="alice", realm="r", nonce="${nonce}", uri="sip:example.com", response="${'0'.repeat(32)}"`,
            ] as const,
          ]),
    ]),
    body: '',
  });
  /** The decision of the admission about a request of that source, as the defence sees it. */
  const decide = async (decision: Admitted | Refused, flow: Flow, nonce?: string) =>
    defence.watch({ admit: async () => decision }).admit(request(nonce), flow.remoteAddress, flow.id);
  const guess = (flow: Flow, nonce = nonceFor(flow.remoteAddress)) => decide(refused, flow, nonce);
  return { clock, defence, bans, failures, nonceFor, flowOf, request, decide, guess };
}

describe('Rates', () => {
  it('allow an unproven source a burst and then its rate, each source separately', async () => {
    const w = world({ requestsPerSecond: 10, requestBurst: 3 });
    const ask = (address: string) => w.defence.admits(w.request(), w.flowOf(address));
    assert.deepEqual([ask(home), ask(home), ask(home), ask(home)], [true, true, true, false]);
    assert.equal(ask('192.0.2.2'), true);
    await w.clock.advance(100);
    assert.deepEqual([ask(home), ask(home)], [true, false]);
    assert.equal(w.defence.counters.rateLimited, 2);
  });

  it('count addresses of one IPv6 /64 together', () => {
    const w = world({ requestBurst: 1 });
    const ask = (address: string) => w.defence.admits(w.request(), w.flowOf(address));
    assert.deepEqual([ask('2001:db8::1'), ask('2001:db8::2'), ask('2001:db8:0:1::1')], [true, false, true]);
  });

  it('do not stop a proven or known source when an attacker forges its address', async () => {
    const w = world({ requestBurst: 1 });
    const phone = w.flowOf(home, 5062);
    await w.decide(admitted, phone, w.nonceFor(home));
    for (let forged = 0; forged < 100; forged++) w.defence.admits(w.request(), w.flowOf(home));
    assert.equal(w.defence.admits(w.request(), w.flowOf(home)), false);
    assert.equal(w.defence.admits(w.request(w.nonceFor(home)), w.flowOf(home)), true);
    assert.equal(w.defence.admits(w.request(), phone), true);
    // A nonce that was given to another source proves nothing.
    assert.equal(w.defence.admits(w.request(w.nonceFor('192.0.2.2')), w.flowOf(home)), false);
  });

  it('do not stop requests with a nonce of the server when an attacker forges the flow of a known phone', async () => {
    const w = world({ requestBurst: 1, provenPerSecond: 1 });
    const phone = w.flowOf(home, 5062);
    await w.decide(admitted, phone, w.nonceFor(home));
    for (let forged = 0; forged < 100; forged++) w.defence.admits(w.request(), phone);
    assert.equal(w.defence.admits(w.request(), phone), false);
    assert.equal(w.defence.admits(w.request(w.nonceFor(home)), phone), true);
  });

  it('know the flow of a trunk that returned a nonce, and else only the address of the trunk', async () => {
    const w = world();
    const through = { ...admitted, endpoint: '', user: '', trunk: '1' };
    for (let port = 1; port <= 10; port++) await w.decide(through, w.flowOf(home, port), 'forged');
    assert.deepEqual([w.defence.census().knownFlows, w.defence.knows('udp-192.0.2.1-1')], [1, false]);
    await w.decide(through, w.flowOf(home), w.nonceFor(home));
    assert.equal(w.defence.knows(w.flowOf(home).id), true);
  });

  it('stay low for an external caller, whose call proves nothing about its source', async () => {
    const w = world({ requestBurst: 1 });
    await w.decide({ ...admitted, endpoint: '', user: '', external: 'sip:e@x.example' }, w.flowOf(home));
    assert.equal(w.defence.census().knownFlows, 0);
    const ask = () => w.defence.admits(w.request(), w.flowOf(home));
    assert.deepEqual([ask(), ask()], [true, false]);
  });

  it('do not apply to trusted sources and carriers', () => {
    const w = world({ requestBurst: 1 }, { trusted: ['198.51.100.0/24'], carrier: '203.0.113.1' });
    for (const address of ['198.51.100.7', '203.0.113.1']) {
      for (let time = 0; time < 5; time++) assert.ok(w.defence.admits(w.request(), w.flowOf(address)));
    }
  });

  it('remember a limited number of sources, and forget the oldest first', () => {
    const w = world({ requestBurst: 1, maxRemembered: 100 });
    const ask = (at: number) => w.defence.admits(w.request(), w.flowOf(`10.0.${at >> 8}.${at & 255}`));
    for (let at = 0; at < 1000; at++) assert.equal(ask(at), true);
    assert.equal(ask(999), false, 'the newest is remembered');
    assert.equal(ask(0), true, 'the oldest has a full burst again');
  });
});

describe('Bans', () => {
  it('begin after too many failures within a minute, end after their length, and are reported once', async () => {
    const w = world({ failuresBeforeBan: 3, banMs: 5000 });
    const flow = w.flowOf(home);
    for (let time = 0; time < 3; time++) await w.guess(flow);
    assert.equal(w.defence.receives(flow), true);
    await w.guess(flow);
    assert.equal(w.defence.receives(flow), false);
    assert.equal(w.defence.accepts(home), false);
    assert.equal(w.defence.receives(w.flowOf('192.0.2.2')), true);
    await w.guess(flow);
    assert.deepEqual(w.bans, [{ source: home, reason: 'failed-logins', seconds: 5 }]);
    assert.deepEqual(w.defence.census().bannedSources, 1);
    await w.clock.advance(5000);
    assert.equal(w.defence.receives(flow), true);
    assert.equal(w.defence.accepts(home), true);
  });

  it('are not caused by failures spread over time, old nonces, or requests without credentials', async () => {
    const w = world({ failuresBeforeBan: 3 });
    const flow = w.flowOf(home);
    for (let time = 0; time < 20; time++) {
      await w.guess(flow);
      await w.clock.advance(20_000);
    }
    for (let time = 0; time < 20; time++) {
      await w.decide(stale, flow, w.nonceFor(home));
      await w.decide(refused, flow);
    }
    assert.deepEqual(w.bans, []);
  });

  it('cannot be caused for another source: over UDP a failure counts only with a fresh nonce of its source', async () => {
    const w = world({ failuresBeforeBan: 1 });
    const victim = w.flowOf(home);
    const old = w.nonceFor(home);
    await w.clock.advance(61_000);
    for (const nonce of ['invented', w.nonceFor('192.0.2.66'), old]) {
      for (let time = 0; time < 10; time++) await w.guess(victim, nonce);
    }
    assert.deepEqual(w.bans, []);
    assert.equal(w.defence.counters.failedLogins, 0);
  });

  it('count every failure over a connection, whose address cannot be forged', async () => {
    const w = world({ failuresBeforeBan: 1 });
    const flow = w.flowOf(home, 40_000, true);
    await w.guess(flow, 'invented');
    await w.guess(flow, 'invented');
    assert.equal(w.bans.length, 1);
  });

  it('do not affect known phones behind the banned address, until they fail themselves', async () => {
    const w = world({ failuresBeforeBan: 2 });
    const [phone, guesser] = [w.flowOf(home, 5062), w.flowOf(home, 6000)];
    await w.decide(admitted, phone, w.nonceFor(home));
    for (let time = 0; time < 5; time++) await w.guess(guesser);
    assert.deepEqual([w.defence.receives(guesser), w.defence.receives(phone)], [false, true]);
    await w.guess(phone);
    assert.equal(w.defence.receives(phone), false);
  });

  it('affect a known phone again some time after its last registration, or when its connection closes', async () => {
    const w = world({ failuresBeforeBan: 1, knownMs: 1000 });
    const [first, second] = [w.flowOf(home, 40_001, true), w.flowOf(home, 40_002, true)];
    for (const flow of [first, second]) await w.decide(admitted, flow, w.nonceFor(home));
    for (let time = 0; time < 2; time++) await w.guess(w.flowOf(home, 6000));
    w.defence.flowClosed(first.id);
    assert.deepEqual([w.defence.receives(first), w.defence.receives(second)], [false, true]);
    await w.clock.advance(1000);
    assert.equal(w.defence.receives(second), false);
  });

  it('do not affect a phone that repeats a wrong password and waits for each refusal: refusals are delayed, a right password is not', async () => {
    const w = world({ failuresAnsweredAtOnce: 3 });
    const flow = w.flowOf(home);
    const answeredAfter: number[] = [];
    const start = w.clock.now();
    for (let attempt = 0; attempt < 30; attempt += 1) {
      const sent = w.clock.now();
      let isAnswered = false;
      const refusal = w.guess(flow).then(() => {
        isAnswered = true;
      });
      for (let second = 0; !isAnswered && second < 60; second += 1) {
        await w.clock.advance(second === 0 ? 0 : 1000);
      }
      await refusal;
      answeredAfter.push((w.clock.now() - sent) / 1000);
    }
    assert.deepEqual(answeredAfter.slice(0, 9), [0, 0, 0, 1, 2, 4, 8, 8, 8]);
    assert.ok(w.clock.now() - start < 600_000);
    assert.deepEqual([w.bans, w.defence.receives(flow)], [[], true]);
    const waiting = w.guess(flow);
    // Another process of the same phone sends the right password while the refusal of the wrong one is still delayed.
    assert.equal((await w.decide(admitted, flow, w.nonceFor(home))).ok, true);
    await w.clock.advance(8_000);
    await waiting;
    let isAnswered = false;
    void w.guess(flow).then(() => {
      isAnswered = true;
    });
    await w.clock.advance(0);
    assert.equal(isAnswered, true, 'after the right password the next mistake is the first one');
  });

  it('affect a source that guesses without waiting for the refusals', async () => {
    const w = world({ failuresAnsweredAtOnce: 3, failuresBeforeBan: 20 });
    const flow = w.flowOf(home);
    for (let guess = 0; guess < 1000; guess += 1) {
      if (!w.defence.receives(flow)) break;
      void w.guess(flow);
      await w.clock.advance(0);
    }
    assert.equal(w.defence.counters.failedLogins, 21);
    assert.deepEqual(w.bans, [{ source: home, reason: 'failed-logins', seconds: 300 }]);
  });

  it('never affect exempt sources, whose failures are still reported with user and realm', async () => {
    const w = world({ failuresBeforeBan: 1 }, { neverBanned: ['127.0.0.1'] });
    for (let time = 0; time < 5; time += 1) await w.guess(w.flowOf('127.0.0.1'));
    assert.deepEqual([w.bans, w.failures.length], [[], 5]);
    assert.deepEqual(w.failures[0], { source: '127.0.0.1', username: 'alice', realm: 'r' });
  });

  it('do not affect trusted sources, nor any source where their length is zero', async () => {
    const trusting = world({ failuresBeforeBan: 1 }, { trusted: [home] });
    const banless = world({ failuresBeforeBan: 1, banMs: 0 });
    for (const w of [trusting, banless]) {
      for (let time = 0; time < 5; time++) await w.guess(w.flowOf(home));
      assert.equal(w.defence.receives(w.flowOf(home)), true);
      assert.deepEqual(w.bans, []);
    }
  });

  it('affect scanners over connections; the requests of all scanners are dropped', () => {
    const w = world();
    const scan = (flow: Flow) => w.defence.admits(w.request(undefined, 'friendly-scanner'), flow);
    assert.equal(scan(w.flowOf(home)), false);
    assert.deepEqual(w.bans, []);
    assert.equal(scan(w.flowOf(home, 40_000, true)), false);
    assert.deepEqual(w.bans, [{ source: home, reason: 'scanner', seconds: 300 }]);
  });
});

describe('Slots of calls', () => {
  it('are limited by source and by account, and are freed once', () => {
    const { slots } = world({ callsPerSource: 2, callsPerAccount: 3 }, { trusted: ['203.0.113.1'] }).defence;
    const first = slots.take(home, 'MA1');
    slots.take(home, 'MA1');
    assert.equal(slots.take(home, 'MA2'), undefined, 'of this source');
    slots.take('192.0.2.2', 'MA1');
    assert.equal(slots.take('192.0.2.3', 'MA1'), undefined, 'of this account');
    for (let time = 0; time < 3; time++)
      assert.ok(slots.take('203.0.113.1', 'MA2'), 'a carrier is no source');
    assert.equal(slots.taken, 6);
    first?.();
    first?.();
    assert.equal(slots.taken, 5);
    assert.ok(slots.take(home, 'MA1'));
  });

  it('are fewer for external callers, in all and to each account, and leave slots for known callers', () => {
    const { defence } = world({ externalCalls: 3, externalCallsPerAccount: 2 });
    const call = (account: string) => defence.slots.take(home, account, true);
    const first = call('MA1');
    assert.ok(first && call('MA1'));
    assert.equal(call('MA1'), undefined, 'to this account');
    assert.ok(call('MA2'));
    assert.equal(call('MA3'), undefined, 'in all');
    assert.ok(defence.slots.take(home, 'MA1'), 'a known caller');
    first();
    assert.ok(call('MA3'));
    assert.deepEqual([defence.counters.externalCalls, defence.counters.externalCallsRefused], [4, 2]);
  });
});

describe('Limits behind a proxy of the operator', () => {
  const proxy = '192.0.2.10';
  const behindProxy = (limits: Partial<DefenceLimits> = {}) => {
    const w = world(limits, { proxies: [proxy] });
    const flow = w.flowOf(proxy);
    const vias = (address: string) => [`SIP/2.0/UDP ${proxy}`, `SIP/2.0/UDP ${address}`];
    return {
      ...w,
      flow,
      asks: (address: string, nonce?: string) =>
        w.defence.admits(w.request(nonce, 'Phone', vias(address)), flow),
      fails: (address: string) =>
        w.defence
          .watch({ admit: async () => refused })
          .admit(w.request(w.nonceFor(address)), address, `udp-behind-proxy-${address}-5060`),
    };
  };

  it('apply to each source that the proxy names, and not to the proxy', () => {
    const w = behindProxy({ requestBurst: 1 });
    assert.deepEqual([w.asks(home), w.asks(home), w.asks('192.0.2.2')], [true, false, true]);
    for (let time = 0; time < 5; time++) {
      assert.ok(w.defence.admits(w.request(undefined, 'Phone', [`SIP/2.0/UDP ${proxy}`]), w.flow));
    }
  });

  it('are higher for a source that returns our nonce', () => {
    const w = behindProxy({ requestBurst: 1 });
    w.asks(home);
    assert.deepEqual([w.asks(home), w.asks(home, w.nonceFor(home))], [false, true]);
  });

  it('ban the source and neither the proxy nor the phones behind it', async () => {
    const w = behindProxy({ failuresBeforeBan: 2 });
    for (let guess = 0; guess < 3; guess++) await w.fails(home);
    assert.deepEqual(
      w.bans.map(({ source }) => source),
      [home],
    );
    assert.deepEqual([w.asks(home), w.asks('192.0.2.2'), w.defence.receives(w.flow)], [false, true, true]);
    assert.equal(w.defence.counters.bannedDropped, 1);
  });

  it('drop a request whose sender the proxy does not name', () => {
    const w = behindProxy();
    assert.equal(w.asks('phone.example'), false);
    assert.equal(w.defence.counters.unnamedSourcesDropped, 1);
  });

  it('count connections to a proxy as their source, because no other limit bounds them', () => {
    const w = behindProxy({ requestBurst: 1 });
    const over = (port: number) =>
      w.defence.admits(
        w.request(undefined, 'Phone', [`SIP/2.0/UDP ${proxy}`, `SIP/2.0/TCP ${home}:${port}`]),
        w.flow,
      );
    assert.deepEqual([over(1), over(2)], [true, false]);
  });
});
