import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { spawnBound } from './support/bound-child.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort, rtpRange } from './support/ports.ts';
import { serverMain } from './support/server-main.ts';
import { blocksRunBy } from './support/snippets.ts';
import { TurnServer } from './support/turn-server.ts';

interface Finding {
  readonly subject: string;
  readonly outcome: string;
  readonly sentence: string;
}

/** Seconds from 1900 to 1970 (RFC 5905 §6). */
const ntpToUnix = 2_208_988_800;

describe('jackfield doctor', { timeout: 300_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'jackfield-'));
  const { first, last } = rtpRange();
  let clock: Socket;

  before(async () => {
    // A time server that is five seconds ahead.
    clock = createSocket('udp4');
    clock.on('message', (request, { port, address }) => {
      const answer = Buffer.alloc(48);
      const seconds = Math.round(Date.now() / 1000) + ntpToUnix + 5;
      answer.writeUInt32BE(seconds, 32);
      answer.writeUInt32BE(seconds, 40);
      assert.equal(request[0], 0x23);
      clock.send(answer, port, address);
    });
    clock.bind(0, '127.0.0.1');
    await once(clock, 'listening');
  });

  after(() => {
    clock.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function examined(more: Readonly<Record<string, string>>, ...options: readonly string[]) {
    const { port } = clock.address() as AddressInfo;
    const asked = ['--json', '--ntp', `127.0.0.1:${port}`, ...options];
    const child = spawnBound(process.execPath, [serverMain, 'doctor', ...asked], {
      cwd: directory,
      env: {
        PATH: process.env.PATH,
        JACKFIELD_HTTP_HOST: '127.0.0.1',
        JACKFIELD_HTTP_PORT: '0',
        JACKFIELD_PUBLIC_URL: 'http://127.0.0.1:8080',
        JACKFIELD_SIP_HOST: '127.0.0.1',
        JACKFIELD_SIP_PORT: '0',
        JACKFIELD_WEBRTC_PORT: 'off',
        JACKFIELD_RTP_PORTS: `${first}-${last}`,
        JACKFIELD_DATA_DIR: join(directory, 'data'),
        ...more,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout!.on('data', (text) => (out += String(text)));
    await once(child, 'close');
    const findings = JSON.parse(out) as readonly Finding[];
    const of = (subject: string) =>
      findings.find((finding) => finding.subject.startsWith(subject)) ?? assert.fail(out);
    return { status: child.exitCode, of };
  }

  it('calls itself and hears the tone, and ends with 0 without a fault', async () => {
    const { status, of } = await examined({}, '--ports', `${first}-${last}`);
    assert.equal(of('a call to itself').outcome, 'sound', of('a call to itself').sentence);
    assert.equal(of('disk').outcome, 'sound', of('disk').sentence);
    assert.match(of('database').sentence, /^embedded; the first start makes/);
    assert.match(of('clock').sentence, /the clock is [45]\d{3} ms behind 127\.0\.0\.1:\d+/);
    assert.match(of('public address').sentence, /127\.0\.0\.1 is of a private network/);
    assert.equal(status, 0);
  });

  it('examines as pages show it', { skip: missing('turnserver') }, async (t) => {
    const stun = await TurnServer.start('a-secret-that-is-not-used', '127.0.0.1');
    t.after(() => stun.stop());
    for (const page of ['docs/guides/production.md', 'docs/operate/nat.md', 'docs/operate/tls.md'])
      for (const { text } of blocksRunBy(page, import.meta.filename)) {
        const [command, name, ...options] = text.trim().split(' ');
        assert.deepEqual([command, name], ['jackfield', 'doctor']);
        const asked = options.map((word) => word.replace('stun.example.com:3478', `127.0.0.1:${stun.port}`));
        const { status, of } = await examined({}, '--no-call', ...asked);
        assert.equal(status, 0, page);
        if (asked.length > 0) assert.notEqual(of('public address').outcome, 'unknown');
      }
  });

  it('names a port that is in use and a file that cannot be read', async () => {
    const port = await freePort();
    // A test that fails ends with its sockets open.
    const taken = createSocket('udp4').bind(port, '127.0.0.1').unref();
    await once(taken, 'listening');
    const { status, of } = await examined(
      {
        JACKFIELD_SIP_PORT: String(port),
        JACKFIELD_CARRIERS: join(directory, 'carriers.json'),
      },
      '--no-call',
    );
    taken.close();
    assert.equal(status, 1);
    assert.match(of('SIP over UDP').sentence, /^JACKFIELD_SIP_PORT: port \d+ of 127\.0\.0\.1 is in use/);
    assert.equal(of('SIP over TCP').outcome, 'sound');
    assert.match(of('carriers').sentence, /^JACKFIELD_CARRIERS: /);
  });

  it('asks each carrier with an OPTIONS, and says what to do about a silent carrier', async () => {
    const carrierAnswering = async (status: string | undefined) => {
      const socket = createSocket('udp4');
      socket.on('message', (request, { port, address }) => {
        const lines = request.toString('latin1').split('\r\n');
        assert.match(lines[0]!, /^OPTIONS sip:127\.0\.0\.1:\d+ SIP\/2\.0$/);
        const copied = lines.filter((line) => /^(?:Via|v|From|f|To|t|Call-ID|i|CSeq) *:/i.test(line));
        const answer = copied.map((line) => (/^(?:To|t) *:/i.test(line) ? `${line};tag=carrier` : line));
        if (status !== undefined)
          socket.send(
            [`SIP/2.0 ${status}`, ...answer, 'Content-Length: 0', '', ''].join('\r\n'),
            port,
            address,
          );
      });
      socket.bind(0, '127.0.0.1').unref();
      await once(socket, 'listening');
      return socket;
    };
    const sockets = {
      alpha: await carrierAnswering('200 OK'),
      beta: await carrierAnswering('503 Service Unavailable'),
      gamma: await carrierAnswering(undefined),
    };
    const carriers = Object.entries(sockets).map(([name, socket]) => ({
      name,
      host: '127.0.0.1',
      port: socket.address().port,
      prefixes: [{ prefix: '' }],
      caps: { concurrent_calls: 1 },
    }));
    const file = join(directory, 'carriers-that-answer.json');
    writeFileSync(file, JSON.stringify({ carriers }));
    const { status, of } = await examined({ JACKFIELD_CARRIERS: file }, '--no-call');
    for (const socket of Object.values(sockets)) socket.close();
    assert.equal(status, 1);
    assert.equal(of('carrier alpha').outcome, 'sound', of('carrier alpha').sentence);
    assert.match(of('carrier alpha').sentence, /answers an OPTIONS with 200/);
    assert.equal(of('carrier beta').outcome, 'fault');
    assert.match(of('carrier beta').sentence, /answers with 503 .*: ask the carrier/);
    assert.equal(of('carrier gamma').outcome, 'fault');
    assert.match(of('carrier gamma').sentence, /does not answer an OPTIONS in 8 s: check host, port/);
  });

  it('finds a server that runs by its health check, and leaves its ports alone', async () => {
    const platform = await PlatformProcess.start({ JACKFIELD_OPERATOR_PORT: '0' });
    try {
      const { port } = new URL(platform.operatorUrl);
      const { status, of } = await examined({ JACKFIELD_OPERATOR_PORT: port }, '--no-call');
      assert.match(of('ports').sentence, /^a server runs: 127\.0\.0\.1:\d+ answers at \/healthz/);
      assert.equal(status, 0);
    } finally {
      await platform.stop();
    }
  });

  it('lists every mistake of the configuration', async () => {
    const { status, of } = await examined({ JACKFIELD_SRTP: 'maybe' }, '--no-call');
    assert.equal(status, 1);
    assert.match(of('configuration').sentence, /^JACKFIELD_SRTP must be off, offer or require, not "maybe"$/);
  });
});
