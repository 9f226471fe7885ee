import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DtlsEndpoint, DtlsKeys, DtlsSession } from '../dtls/dtls-session.ts';
import type { AgreedHandshake } from '../engine/commands.ts';
import { readStun } from '../ice/stun-message.ts';
import { stunWriterBytes, writeCheck } from '../ice/stun-writer.ts';
import { nodeCiphers } from '../io/srtp-ciphers.ts';
import { SourceTable } from './source-table.ts';
import { type IceConnection, WebrtcLegs } from './webrtc-legs.ts';

const password = 'a password of 24 letters';
const hmac = nodeCiphers.hmacSha1(new Uint8Array(Buffer.from(password)));
const keys: DtlsKeys = {
  suite: 'AEAD_AES_128_GCM',
  sendKey: new Uint8Array(28).fill(1),
  receiveKey: new Uint8Array(28).fill(2),
};
const clientHello = Uint8Array.from([22, 254, 253, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 1, 0]);
const rtpPacket = Uint8Array.from([0x80, 0, ...new Uint8Array(30)]);

/** A handshake whose course the test decides: the state machine of the leg is what runs here, not the cryptography. */
class ScriptedSession implements DtlsSession {
  state: DtlsSession['state'] = 'handshaking';
  problem: string | undefined;
  resendInMs: number | undefined;
  certificate = 'AA:BB';
  received = 0;
  resent = 0;
  isClosed = false;
  out: Uint8Array[] = [];
  /** The state after the next datagram. */
  next: DtlsSession['state'] = 'handshaking';
  receive(): void {
    this.received++;
    this.state = this.next;
  }
  take(): readonly Uint8Array[] {
    return this.out.splice(0);
  }
  resend(): void {
    this.resent++;
    this.out.push(Uint8Array.of(22, 9));
  }
  fingerprint(hash: string): string | undefined {
    return hash === 'sha-256' ? this.certificate : undefined;
  }
  keys(): DtlsKeys {
    return keys;
  }
  close(): void {
    this.isClosed = true;
  }
}

/** A signed check for this fragment. */
function checkOf(fragment: string, useCandidate: boolean): Uint8Array {
  const out = new Uint8Array(stunWriterBytes);
  const ids = { transaction: 'b7e7a701bc34d686fa87dfae', tieBreaker: '0123456789abcdef' };
  const check = {
    ...ids,
    username: `${fragment}:x`,
    priority: 1,
    role: 'controlling',
    useCandidate,
  } as const;
  return out.slice(0, writeCheck(out, check, hmac));
}

/** Legs on one shared port, with a clock, timers and everything that they send. */
function createBench() {
  let now = 0;
  const timers = new Set<{ atMs: number; run(): void }>();
  const sessions: ScriptedSession[] = [];
  const sent: string[] = [];
  const received: string[] = [];
  const secured: string[] = [];
  const silent: string[] = [];
  const closed: IceConnection[] = [];
  const connections: IceConnection[] = [];
  const dtls: DtlsEndpoint = {
    fingerprint: 'FF',
    openCount: 0,
    open() {
      const session = new ScriptedSession();
      sessions.push(session);
      return session;
    },
    close() {},
  };
  const show = (bytes: Uint8Array, length: number): string => readStun(bytes, length)?.kind ?? `${bytes[0]}`;
  const legs = new WebrtcLegs({
    ciphers: nodeCiphers,
    dtls,
    now: () => now,
    after(ms, run) {
      const timer = { atMs: now + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    secured: (leg, agreed) =>
      secured.push(`${leg.name} ${agreed.suite} ${agreed.sendKey[0]} ${agreed.receiveKey[0]}`),
    silent: (leg, forMs) => silent.push(`${leg.name} ${forMs}`),
    silentMs: 60_000,
    sendDatagram: (bytes, length, address, port) => sent.push(`${show(bytes, length)} to ${address}:${port}`),
    sendFrame: (connection, bytes, length) => sent.push(`${show(bytes, length)} on ${connection.port}`),
    connectionOf: (source) => connections.find(({ port }) => port === source.port),
    closeConnection: (connection) => closed.push(connection),
    receive(leg, bytes, length, address, port) {
      received.push(`leg ${leg}: ${bytes[0]} (${length}) from ${address}:${port}`);
      return true;
    },
  });
  const check = (
    fragment: string,
    port = 4000,
    { useCandidate = true, connection = undefined as IceConnection | undefined } = {},
  ): void => {
    const bytes = checkOf(fragment, useCandidate);
    if (connection === undefined) legs.receive(bytes, bytes.length, '192.0.2.1', port, 0);
    else legs.receiveFrame(connection, bytes, bytes.length);
  };
  return {
    legs,
    sessions,
    sent,
    received,
    secured,
    silent,
    closed,
    check,
    receive: (bytes: Uint8Array, port = 4000) => legs.receive(bytes, bytes.length, '192.0.2.1', port, 0),
    lose(connection: IceConnection): void {
      connections.splice(connections.indexOf(connection) >>> 0, 1);
      legs.connectionLost(connection);
    },
    connect(port: number): IceConnection {
      const connection: IceConnection = { transport: 'tcp', address: '192.0.2.1', port, leg: undefined };
      connections.push(connection);
      return connection;
    },
    /** Lets time pass; timers run in order. */
    wait(ms: number): void {
      const until = now + ms;
      for (;;) {
        const [first] = [...timers].filter(({ atMs }) => atMs <= until).sort((a, b) => a.atMs - b.atMs);
        if (first === undefined) break;
        timers.delete(first);
        now = first.atMs;
        first.run();
      }
      now = until;
    },
    timers: () => timers.size,
    open(name = 'a', index = 0): boolean {
      return legs.open(name, index, { fragment: name, password });
    },
    agree(name = 'a', value = 'AA:BB', fragment = name): void {
      const agreed: Partial<AgreedHandshake> = {
        fingerprints: [{ hash: 'sha-256', value }],
        ice: { fragment, password },
      };
      legs.agree(name, agreed as AgreedHandshake);
    },
  };
}

/** A leg whose handshake is over and verified. */
function securedBench() {
  const bench = createBench();
  bench.open();
  bench.agree();
  bench.check('a');
  bench.receive(clientHello);
  const [session] = bench.sessions;
  session!.next = 'connected';
  bench.receive(clientHello);
  assert.deepEqual(bench.secured, ['a AEAD_AES_128_GCM 1 2']);
  return { ...bench, session: session! };
}

describe('datagrams of strangers', () => {
  for (const [what, bytes] of [
    ['media', rtpPacket],
    ['a handshake', clientHello],
    ['no known protocol', Uint8Array.of(64, 1, 2)],
    ['an empty datagram', new Uint8Array(0)],
  ] as const) {
    it(`${what} from an unchecked source is counted and not answered`, () => {
      const bench = createBench();
      bench.open();
      bench.receive(bytes);
      assert.deepEqual(bench.legs.counters, { strangers: 1, checksRefused: 0 });
      assert.deepEqual([bench.sent, bench.sessions.length, bench.received], [[], 0, []]);
    });
  }

  it('a check for an unknown name and a cut message are refused without an answer', () => {
    const bench = createBench();
    bench.open();
    bench.check('ghost');
    bench.receive(Uint8Array.of(0, 1, 0, 0));
    assert.deepEqual(bench.legs.counters, { strangers: 0, checksRefused: 2 });
    assert.deepEqual(bench.sent, []);
  });
});

describe('the sources of a leg', () => {
  it('a checked source is answered and belongs to the leg until 30 s after its last check', () => {
    const bench = createBench();
    bench.open();
    bench.check('a');
    assert.deepEqual(bench.sent, ['success to 192.0.2.1:4000']);
    assert.deepEqual(bench.legs.size, { legs: 1, sources: 1 });
    bench.wait(29_999);
    assert.deepEqual(bench.legs.size, { legs: 1, sources: 1 });
    bench.wait(1);
    assert.deepEqual(bench.legs.size, { legs: 1, sources: 0 });
    bench.legs.close('a');
    assert.equal(bench.timers(), 0);
  });

  it('a leg without a path is silent 60 s after its last check, unless a check comes before or the leg ends', () => {
    const bench = createBench();
    for (const [index, name] of ['gone', 'back', 'ended', 'kept'].entries()) {
      bench.open(name, index);
      bench.check(name, 4000 + index);
    }
    bench.wait(20_000);
    bench.check('kept', 4003);
    bench.wait(39_999);
    bench.check('back', 4001);
    bench.check('kept', 4003);
    bench.legs.close('ended');
    assert.deepEqual(bench.silent, []);
    bench.wait(1);
    assert.deepEqual(bench.silent, ['gone 60000']);
    bench.wait(59_998);
    assert.deepEqual(bench.silent, ['gone 60000']);
    bench.wait(1);
    assert.deepEqual(bench.silent, ['gone 60000', 'back 60000', 'kept 60000'], 'each once');
    for (const name of ['gone', 'back', 'kept']) bench.legs.close(name);
    assert.equal(bench.timers(), 0);
  });

  it('a leg whose only connection is lost is silent 60 s after its last check', () => {
    const bench = createBench();
    bench.open('a');
    const connection = bench.connect(4000);
    bench.check('a', 4000, { connection });
    bench.wait(5000);
    bench.lose(connection);
    bench.wait(54_999);
    assert.deepEqual(bench.silent, []);
    bench.wait(1);
    assert.deepEqual(bench.silent, ['a 60000']);
    bench.legs.close('a');
    assert.equal(bench.timers(), 0);
  });

  it('packets go to the nominated source, to none before a check, and not to a leg with its own ports', () => {
    const bench = createBench();
    bench.open('a', 3);
    assert.equal(bench.legs.send(3, rtpPacket, 32), true);
    bench.check('a', 4000, { useCandidate: false });
    bench.check('a', 5000);
    bench.sent.length = 0;
    assert.equal(bench.legs.send(3, rtpPacket, 32), true);
    assert.deepEqual(bench.sent, ['128 to 192.0.2.1:5000']);
    assert.equal(bench.legs.send(2, rtpPacket, 32), false);
  });

  it('a source that another leg has checked later belongs to that leg, also when the first one ends', () => {
    const bench = createBench();
    bench.open('a', 0);
    bench.open('b', 1);
    bench.agree('b');
    bench.check('a');
    bench.check('b');
    bench.legs.close('a');
    bench.receive(clientHello);
    assert.equal(bench.sessions.length, 1);
    assert.deepEqual(bench.legs.size, { legs: 1, sources: 1 });
  });

  it('a fragment in use opens no second leg, and is free again after the first', () => {
    const bench = createBench();
    assert.equal(bench.open('a'), true);
    assert.equal(bench.legs.open('b', 1, { fragment: 'a', password }), false);
    assert.equal(bench.legs.close('a'), true);
    assert.equal(bench.legs.close('a'), false);
    assert.equal(bench.legs.has('a'), false);
    assert.equal(bench.legs.open('b', 1, { fragment: 'a', password }), true);
  });

  it('a closed leg leaves no source, timer, session or name', () => {
    const bench = securedBench();
    bench.check('a', 5000);
    bench.legs.close('a');
    assert.deepEqual(bench.legs.size, { legs: 0, sources: 0 });
    assert.equal(bench.timers(), 0);
    assert.equal(bench.session.isClosed, true);
    bench.check('a');
    assert.equal(bench.legs.counters.checksRefused, 1);
  });

  it('an ICE restart opens the new fragment beside the old one, until the first check under the new one', () => {
    const bench = createBench();
    bench.open();
    bench.agree('a', 'AA:BB', 'new');
    bench.check('a');
    bench.check('new');
    assert.equal(bench.sent.length, 2);
    bench.check('a');
    assert.equal(bench.legs.counters.checksRefused, 1);
  });
});

describe('connections (RFC 6544)', () => {
  it('a check on a connection makes it the leg’s, and packets go over it', () => {
    const bench = createBench();
    bench.open();
    const connection = bench.connect(9);
    bench.check('a', 0, { connection });
    assert.deepEqual(bench.sent, ['success on 9']);
    bench.legs.send(0, rtpPacket, 32);
    assert.equal(bench.sent.at(-1), '128 on 9');
    assert.deepEqual(bench.legs.size, { legs: 1, sources: 0 });
  });

  it('a frame on a connection without a check is a stranger’s', () => {
    const bench = createBench();
    bench.legs.receiveFrame(bench.connect(9), rtpPacket, 32);
    assert.equal(bench.legs.counters.strangers, 1);
  });

  it('a lost connection is no longer a path; an ended leg closes its connections', () => {
    const bench = createBench();
    bench.open();
    const [lost, kept] = [bench.connect(9), bench.connect(10)];
    bench.check('a', 0, { connection: lost });
    bench.check('a', 0, { connection: kept, useCandidate: false });
    bench.lose(lost);
    bench.lose(lost);
    bench.legs.send(0, rtpPacket, 32);
    assert.equal(bench.sent.at(-1), '128 on 10');
    bench.legs.close('a');
    assert.deepEqual(bench.closed, [kept]);
    assert.equal(kept.leg, undefined);
  });
});

describe('the handshake of a leg', () => {
  it('begins with a ClientHello of epoch 0 only', () => {
    for (const [why, at, value] of [
      ['an alert', 0, 21],
      ['a record of a later epoch', 4, 1],
      ['another message', 13, 2],
    ] as const) {
      const bench = createBench();
      bench.open();
      bench.check('a');
      const other = clientHello.slice();
      other[at] = value;
      bench.receive(other);
      assert.equal(bench.sessions.length, 0, why);
      bench.receive(clientHello.slice(0, 13));
      assert.equal(bench.sessions.length, 0, 'a record that is cut off');
    }
  });

  it('sends what the session writes to the nominated source, and repeats it when it is due', () => {
    const bench = createBench();
    bench.open();
    bench.check('a');
    bench.receive(clientHello);
    const [session] = bench.sessions;
    bench.sent.length = 0;
    session!.out.push(Uint8Array.of(22, 1), Uint8Array.of(22, 2));
    session!.resendInMs = 1000;
    bench.receive(Uint8Array.of(22, 0));
    assert.deepEqual(bench.sent, ['22 to 192.0.2.1:4000', '22 to 192.0.2.1:4000']);
    bench.wait(999);
    assert.equal(session!.resent, 0);
    session!.resendInMs = 2000;
    bench.wait(1);
    assert.equal(session!.resent, 1);
    session!.resendInMs = undefined;
    bench.wait(2000);
    assert.equal(session!.resent, 2);
    bench.wait(20_000);
    assert.equal(session!.resent, 2);
  });

  it('media before the keys is not passed on, media after them is', () => {
    const bench = createBench();
    bench.open('a', 7);
    bench.agree();
    bench.check('a');
    bench.receive(rtpPacket);
    assert.deepEqual(bench.received, []);
    bench.receive(clientHello);
    bench.sessions[0]!.next = 'connected';
    bench.receive(clientHello);
    bench.receive(rtpPacket);
    assert.deepEqual(bench.received, ['leg 7: 128 (32) from 192.0.2.1:4000']);
  });

  it('RFC 5763 §5: a certificate with another fingerprint ends the session, and no keys are used', () => {
    const bench = createBench();
    bench.open();
    bench.agree('a', 'CC:DD');
    bench.check('a');
    bench.receive(clientHello);
    bench.sessions[0]!.next = 'connected';
    bench.receive(clientHello);
    assert.equal(bench.sessions[0]!.isClosed, true);
    bench.receive(rtpPacket);
    assert.deepEqual([bench.secured, bench.received], [[], []]);
  });

  it('a handshake that is over before the answer waits for its fingerprints', () => {
    const bench = createBench();
    bench.open();
    bench.check('a');
    bench.receive(clientHello);
    bench.sessions[0]!.next = 'connected';
    bench.receive(clientHello);
    assert.deepEqual([bench.secured, bench.sessions[0]!.isClosed], [[], false]);
    bench.agree();
    assert.equal(bench.secured.length, 1);
  });

  it('the first authentic packet frees the association; the same agreement again keeps the keys', () => {
    const bench = securedBench();
    bench.receive(rtpPacket);
    assert.equal(bench.session.isClosed, true);
    bench.agree();
    assert.equal(bench.secured.length, 2);
    bench.receive(rtpPacket);
    assert.equal(bench.received.length, 2);
  });

  it('another certificate in a later agreement closes the leg to media until it has proven itself', () => {
    const bench = securedBench();
    bench.receive(rtpPacket);
    bench.agree('a', 'CC:DD');
    bench.receive(rtpPacket);
    assert.equal(bench.received.length, 1);
    bench.receive(clientHello);
    const second = bench.sessions[1]!;
    second.certificate = 'CC:DD';
    second.next = 'connected';
    bench.receive(clientHello);
    assert.equal(bench.secured.length, 2);
    bench.receive(rtpPacket);
    assert.equal(bench.received.length, 2);
    assert.equal(
      second.isClosed,
      false,
      'packets under the first keys prove nothing about a second association',
    );
  });

  it('a failed handshake may begin again, eight times at most', () => {
    const bench = createBench();
    bench.open();
    bench.agree();
    bench.check('a');
    for (let n = 0; n < 12; n++) {
      bench.receive(clientHello);
      const session = bench.sessions[n];
      if (session === undefined) break;
      session.next = 'failed';
      bench.receive(clientHello);
      assert.equal(session.isClosed, true);
    }
    assert.equal(bench.sessions.length, 8);
  });
});

describe('the relay of a leg that another thread has', () => {
  const relay = ['127.0.0.1', 9000] as const;

  it('passes packets of a checked source to it and its packets to the nominated one, once the handshake is over', () => {
    const bench = createBench();
    bench.open();
    bench.check('a');
    bench.legs.relay('a', ...relay);
    bench.sent.length = 0;
    bench.receive(rtpPacket);
    assert.deepEqual(bench.sent, [], 'no packet passes before its keys');
    bench.legs.receive(rtpPacket, 32, ...relay, 0);
    assert.deepEqual(bench.sent.splice(0), ['128 to 192.0.2.1:4000']);
    bench.agree();
    bench.receive(clientHello);
    bench.sessions[0]!.next = 'connected';
    bench.receive(clientHello);
    assert.deepEqual(bench.secured, ['a AEAD_AES_128_GCM 1 2']);
    bench.receive(rtpPacket);
    assert.deepEqual(bench.sent, ['128 to 127.0.0.1:9000']);
    assert.deepEqual(bench.received, []);
  });

  it('follows the browser to another path, and over a connection', () => {
    const bench = createBench();
    bench.open();
    bench.check('a');
    bench.legs.relay('a', ...relay);
    const connection = bench.connect(9);
    bench.check('a', 0, { connection });
    bench.sent.length = 0;
    bench.legs.receive(rtpPacket, 32, ...relay, 0);
    assert.deepEqual(bench.sent, ['128 on 9']);
  });

  it('frees its index for another leg, and has no state after its end', () => {
    const bench = createBench();
    bench.open('a', 0);
    bench.check('a');
    bench.legs.relay('a', ...relay);
    bench.open('b', 0);
    bench.check('b', 5000);
    bench.legs.close('a');
    bench.sent.length = 0;
    bench.legs.send(0, rtpPacket, 32);
    assert.deepEqual(bench.sent, ['128 to 192.0.2.1:5000'], 'the other leg has the index');
    bench.legs.receive(rtpPacket, 32, ...relay, 0);
    assert.equal(bench.legs.counters.strangers, 1);
    bench.legs.close('b');
    assert.equal(bench.legs.isEmpty, true);
  });
});

describe('the table of sources', () => {
  it('finds by address and port, counts each once, and forgets only for the leg that has it', () => {
    const table = new SourceTable<string>();
    table.add('192.0.2.1', 1, 'a');
    table.add('192.0.2.1', 1, 'b');
    table.add('192.0.2.1', 2, 'a');
    table.add('192.0.2.2', 1, 'a');
    assert.equal(table.size, 3);
    assert.deepEqual(
      [table.find('192.0.2.1', 1), table.find('192.0.2.1', 3), table.find('192.0.2.3', 1)],
      ['b', undefined, undefined],
    );
    table.remove('192.0.2.1', 1, 'a');
    assert.equal(table.find('192.0.2.1', 1), 'b');
    table.remove('192.0.2.1', 1, 'b');
    table.remove('192.0.2.9', 1, 'b');
    assert.deepEqual(
      [table.find('192.0.2.1', 1), table.find('192.0.2.1', 2), table.size],
      [undefined, 'a', 2],
    );
  });
});
