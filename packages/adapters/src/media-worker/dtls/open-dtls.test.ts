import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { DtlsEndpoint, DtlsSession } from '@jackfield/media';
import fc from 'fast-check';
import { testCertificate, testKey } from '../streams/testing/test-certificate.ts';
import { openDtls } from './open-dtls.ts';
import { type DtlsFunctions, loadDtlsFunctions } from './openssl-dtls.ts';

/** Passes each side's datagrams to the other until neither has any; `lose` decides about each one. */
function exchange(client: DtlsSession, server: DtlsSession, lose: () => boolean = () => false): void {
  for (let isBusy = true; isBusy; ) {
    isBusy = false;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      for (const datagram of from.take()) {
        isBusy = true;
        assert.ok(datagram.length <= 1200);
        if (!lose()) to.receive(datagram, datagram.length);
      }
    }
  }
}

async function open(): Promise<DtlsEndpoint> {
  const opened = await openDtls();
  if ('problem' in opened) throw new Error(opened.problem);
  return opened.endpoint;
}

it('an OpenSSL that cannot be called, refuses a setting or fails the handshake with itself gives a sentence instead of an endpoint', async () => {
  const functions = (await loadDtlsFunctions()) ?? assert.fail('OpenSSL cannot be called here');
  const problemWith = async (changed: Partial<DtlsFunctions> | undefined) => {
    const opened = await openDtls(async () => changed && { ...functions, ...changed });
    return 'problem' in opened ? opened.problem : assert.fail('an endpoint was opened');
  };
  assert.match(await problemWith(undefined), /^OpenSSL cannot be called: /);
  assert.match(await problemWith({ setSrtp: () => 1 }), /^OpenSSL refused the settings of DTLS-SRTP: /);
  assert.match(await problemWith({ exportKeys: () => 0 }), /^the handshake with itself failed: .+/);
});

describe('DTLS by the OpenSSL of this process', () => {
  let endpoint: DtlsEndpoint;
  before(async () => {
    endpoint = await open();
  });
  after(() => endpoint.close());

  it('RFC 5764 §4.2: both sides of a handshake have the same keys, crossed, and see the fingerprint of the other', async () => {
    const other = await open();
    const client = other.open('client');
    const server = endpoint.open('server');
    exchange(client, server);
    assert.deepEqual([client.state, server.state], ['connected', 'connected']);
    const [ours, theirs] = [server.keys()!, client.keys()!];
    assert.equal(ours.suite, 'AES_CM_128_HMAC_SHA1_80');
    assert.equal(ours.sendKey.length, 30);
    assert.deepEqual([ours.sendKey, ours.receiveKey], [theirs.receiveKey, theirs.sendKey]);
    assert.notDeepEqual(ours.sendKey, ours.receiveKey);
    assert.equal(server.fingerprint('SHA-256'), other.fingerprint);
    assert.equal(client.fingerprint('sha-256'), endpoint.fingerprint);
    assert.match(server.fingerprint('sha-512')!, /^(?:[0-9A-F]{2}:){63}[0-9A-F]{2}$/);
    assert.equal(server.fingerprint('md5'), undefined);
    other.close();
    assert.deepEqual(
      [client.keys(), client.fingerprint('sha-256'), other.openCount],
      [undefined, undefined, 0],
    );
    server.close();
    server.close();
    assert.equal(endpoint.openCount, 0);
  });

  it('no datagram is longer than 1,200 bytes, and a lost flight is sent again when it is due', async (context) => {
    const client = endpoint.open('client');
    const server = endpoint.open('server');
    context.after(() => {
      client.close();
      server.close();
    });
    let sent = 0;
    // The server's flight with its certificate is lost once.
    exchange(client, server, () => ++sent === 2);
    assert.deepEqual([client.state, server.state], ['handshaking', 'handshaking']);
    const due = Math.min(client.resendInMs!, server.resendInMs!);
    assert.ok(due > 0 && due <= 1000, `${due}`);
    while (server.state === 'handshaking' || client.state === 'handshaking') {
      await new Promise((resolve) =>
        setTimeout(resolve, Math.min(client.resendInMs ?? 1000, server.resendInMs ?? 1000) + 1),
      );
      for (const each of [client, server]) each.resend();
      exchange(client, server, () => false);
    }
    assert.deepEqual(client.keys()?.sendKey, server.keys()?.receiveKey);
    assert.equal(client.resendInMs, undefined);
  });

  it('garbage before, between and after the flights changes nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), (garbage) => {
        const client = endpoint.open('client');
        const server = endpoint.open('server');
        const disturb = (session: DtlsSession) => {
          for (const each of garbage) session.receive(each, each.length);
        };
        disturb(server);
        for (let flight = 0; flight < 4; flight++) {
          for (const datagram of client.take()) server.receive(datagram, datagram.length);
          disturb(client);
          for (const datagram of server.take()) client.receive(datagram, datagram.length);
          disturb(server);
        }
        assert.deepEqual([client.state, server.state], ['connected', 'connected']);
        for (const each of [client, server]) each.close();
      }),
      { numRuns: 40 },
    );
    assert.equal(endpoint.openCount, 0);
  });

  it('a flight with changed bytes never leads to different keys on the two sides', () => {
    fc.assert(
      fc.property(fc.nat(3), fc.nat(2000), fc.integer({ min: 1, max: 255 }), (flight, at, mask) => {
        const client = endpoint.open('client');
        const server = endpoint.open('server');
        let sent = 0;
        const pass = (from: DtlsSession, to: DtlsSession) => {
          for (const datagram of from.take()) {
            if (sent++ === flight) datagram[at % datagram.length]! ^= mask;
            to.receive(datagram, datagram.length);
          }
        };
        for (let turn = 0; turn < 5; turn++) {
          pass(client, server);
          pass(server, client);
        }
        if (server.state === 'connected' && client.state === 'connected') {
          assert.deepEqual(server.keys()?.sendKey, client.keys()?.receiveKey);
        }
        if (server.state === 'failed') assert.notEqual(server.problem, undefined);
        for (const each of [client, server]) each.close();
      }),
      { numRuns: 150 },
    );
    assert.equal(endpoint.openCount, 0);
  });

  it('closed sessions free their memory', () => {
    const run = (count: number): number => {
      for (let n = 0; n < count; n++) {
        const client = endpoint.open('client');
        const server = endpoint.open('server');
        exchange(client, server);
        if (server.keys() === undefined || server.fingerprint('sha-256') === undefined)
          throw new Error('no keys');
        client.close();
        server.close();
      }
      return process.memoryUsage().rss;
    };
    // A session that is not freed has 80 KiB, in each round; the heap of the process grows by itself in some of them.
    const most = 1000 * 8192;
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0, before = run(300); round < 4 && least >= most; round++) {
      const after = run(1000);
      least = Math.min(least, after - before);
      before = after;
    }
    assert.ok(least < most, `${Math.round(least / 1024)} KiB for 1000 handshakes`);
    assert.equal(endpoint.openCount, 0);
  });
});

const openssl = await new Promise<boolean>((resolve) => {
  const child = spawn('openssl', ['version'], { stdio: 'ignore' });
  child.once('error', () => resolve(false));
  child.once('exit', (code) => resolve(code === 0));
});

describe('openssl s_client as the other side', { skip: openssl ? false : 'openssl is not installed' }, () => {
  /** Runs s_client against a server session on a socket until its end; resolves with what it printed. */
  async function connect(endpoint: DtlsEndpoint, args: readonly string[], withCertificate = true) {
    const folder = await mkdtemp(join(tmpdir(), 'dtls-'));
    const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
    await writeFile(certificate, testCertificate);
    await writeFile(key, testKey);
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const session = endpoint.open('server');
    const decided = Promise.withResolvers<void>();
    socket.on('message', (bytes, from) => {
      session.receive(bytes, bytes.length);
      for (const datagram of session.take()) socket.send(datagram, from.port, from.address);
      if (session.state !== 'handshaking') decided.resolve();
    });
    const own = withCertificate ? ['-cert', certificate, '-key', key] : [];
    const to = ['-connect', `127.0.0.1:${socket.address().port}`];
    const child = spawn('openssl', [
      's_client',
      '-dtls1_2',
      ...to,
      ...own,
      '-keymatexport',
      'EXTRACTOR-dtls_srtp',
      '-keymatexportlen',
      '60',
      ...args,
    ]);
    let printed = '';
    child.stdout.on('data', (text) => {
      printed += text;
      // It prints its keys last.
      if (/Keying material: [0-9A-F]{120}/.test(printed)) child.stdin.end();
    });
    await decided.promise;
    const keys = session.keys();
    const fingerprint = session.fingerprint('sha-256');
    const { problem } = session;
    if (session.state === 'failed') child.kill();
    await once(child, 'exit');
    session.close();
    socket.close();
    await rm(folder, { recursive: true });
    return { printed, keys, fingerprint, problem };
  }

  for (const [profile, suite, bytes] of [
    ['SRTP_AES128_CM_SHA1_80', 'AES_CM_128_HMAC_SHA1_80', 14],
    ['SRTP_AEAD_AES_128_GCM', 'AEAD_AES_128_GCM', 12],
  ] as const) {
    it(`agrees on ${profile}, and has our keys`, async (context) => {
      const endpoint = await open();
      context.after(() => endpoint.close());
      const { printed, keys, fingerprint } = await connect(endpoint, ['-use_srtp', profile]);
      assert.equal(keys?.suite, suite);
      assert.equal(keys.sendKey.length, 16 + bytes);
      const material = /Keying material: ([0-9A-F]+)/.exec(printed)![1]!;
      assert.equal(
        material.slice(0, 32),
        Buffer.from(keys.receiveKey.subarray(0, 16)).toString('hex').toUpperCase(),
      );
      assert.equal(
        material.slice(32, 64),
        Buffer.from(keys.sendKey.subarray(0, 16)).toString('hex').toUpperCase(),
      );
      assert.match(printed, new RegExp(`SRTP Extension negotiated, profile=${profile}`));
      // `openssl x509 -fingerprint -sha256` of the certificate that these tests have.
      assert.match(fingerprint!, /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    });
  }

  it('without SRTP connects and has no keys, and without a certificate is refused', async (context) => {
    const endpoint = await open();
    context.after(() => endpoint.close());
    const plain = await connect(endpoint, []);
    assert.deepEqual([plain.keys, plain.problem], [undefined, undefined]);
    const anonymous = await connect(endpoint, ['-use_srtp', 'SRTP_AES128_CM_SHA1_80'], false);
    assert.equal(anonymous.keys, undefined);
    assert.match(anonymous.problem ?? '', /certificate/);
  });
});
