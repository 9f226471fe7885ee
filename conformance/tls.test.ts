import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { connect, getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { BaresipPhone } from './support/baresip-phone.ts';
import { spawnBound } from './support/bound-child.ts';
import { type CertificateOnDisk, createCertificate } from './support/certificates.ts';
import { cleanUp } from './support/clean-up.ts';
import { heardTone } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { eachLine, Happenings } from './support/lines.ts';
import { patienceMs } from './support/patience.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { blocksRunBy } from './support/snippets.ts';
import { WebSocketPhone } from './support/web-socket-phone.ts';

const names = 'DNS:sip.localhost,DNS:localhost,IP:127.0.0.1';

describe('a platform with a certificate', { skip: missing('openssl'), timeout: 180_000 }, () => {
  let certificate: CertificateOnDisk;
  let platform: PlatformProcess;
  let authority: string;
  const trusted = getCACertificates('default');
  const sockets: Socket[] = [];
  const servers: (() => void)[] = [];

  before(async () => {
    certificate = createCertificate(names);
    authority = readFileSync(certificate.certFile, 'utf8');
    setDefaultCACertificates([...trusted, authority]);
    platform = await PlatformProcess.start({
      JACKFIELD_SIPS_PORT: '0',
      JACKFIELD_TLS_CERT: certificate.certFile,
      JACKFIELD_TLS_KEY: certificate.keyFile,
      JACKFIELD_PUBLIC_URL: 'https://localhost:8080',
    });
  });

  after(() =>
    cleanUp(
      () => platform.untilQuiet(),
      async () => assert.equal(await platform.stop(), 0),
      () => certificate.remove(),
      () => setDefaultCACertificates(trusted),
    ),
  );

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const end of servers.splice(0)) end();
  });

  async function secure(port: number, options: object = {}): Promise<TLSSocket> {
    const socket = connect({
      host: '127.0.0.1',
      port,
      ca: authority,
      servername: 'sip.localhost',
      ...options,
    });
    sockets.push(socket);
    await once(socket, 'secureConnect');
    return socket;
  }

  /** A TLS server from openssl: what it receives, line by line. */
  async function carrier(names: string) {
    const { certFile, keyFile, remove } = createCertificate(names);
    const port = await freePort();
    const server = spawnBound('openssl', [
      's_server',
      '-accept',
      String(port),
      '-cert',
      certFile,
      '-key',
      keyFile,
    ]);
    const heard = new Happenings<string>();
    eachLine(server.stdout, (line) => heard.add(line));
    servers.push(() => {
      server.kill('SIGKILL');
      remove();
    });
    await heard.until('the listening', (line) => line === 'ACCEPT');
    return { port, certificate: readFileSync(certFile, 'utf8'), heard };
  }

  it('answers its API over HTTPS, and SIP over TLS with Via and port of TLS', async () => {
    assert.match(platform.httpUrl, /^https:/);
    assert.equal((await fetch(`${platform.httpUrl}/healthz`)).status, 200);
    const socket = await secure(platform.sipsPort);
    socket.write(options('z9hG4bKtls'));
    const [answer] = await once(socket, 'data');
    assert.match(
      String(answer),
      /^SIP\/2\.0 200 OK\r\nVia: SIP\/2\.0\/TLS phone\.invalid;.*received=127\.0\.0\.1/,
    );
  });

  it('closes on plain SIP at the TLS port, and lives on', async () => {
    const socket = connectTcp(platform.sipsPort, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write(options('z9hG4bKplain'));
    const heard: Buffer[] = [];
    socket.on('data', (bytes) => heard.push(bytes));
    await once(socket, 'close');
    assert.doesNotMatch(Buffer.concat(heard).toString('latin1'), /SIP/);
    const counted = await platform.metrics('jackfield_sip_handshakes_failed');
    assert.equal(counted.jackfield_sip_handshakes_failed_total, 1);
  });

  it('speaks nothing older than TLS 1.2, on either port', async () => {
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    for (const port of [platform.sipsPort, Number(new URL(platform.httpUrl).port)]) {
      await assert.rejects(secure(port, old));
      await secure(port, { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' });
    }
  });

  it('a browser registers over WSS and is called on its socket', async () => {
    const endpoint = await platform.createEndpoint('wendy', 'secret-wendy');
    const phone = await WebSocketPhone.connect({
      url: `${platform.httpUrl.replace(/^http/, 'ws')}/sip`,
      username: endpoint.username,
      password: 'secret-wendy',
      domain: 'sip.localhost',
      authority,
    });
    assert.equal(await phone.register(), 200);
    phone.answersAt(await freePort());
    const room = 'MultiPartyCall/name_wss/';
    const participant = { role: 'agent', from: '+12025550000', to: endpoint.username };
    assert.equal((await platform.api('POST', `${room}Participant/`, participant)).status, 201);
    // A participant is in the list as soon as it is dialled; a call that ends before its INVITE is sent never reaches the phone.
    await platform.until('a participant who has joined', `${room}Participant/`, (body) =>
      body.objects?.some(({ status }: { status: string }) => status === 'joined'),
    );
    assert.equal((await platform.api('DELETE', room)).status, 204);
    assert.equal((await phone.events.until('the end', (event) => event.type === 'ended')).by, 'remote-bye');
    phone.vanish();
  });

  describe('with baresip', { skip: missing('baresip', 'sox') }, () => {
    const phones: BaresipPhone[] = [];
    after(() => Promise.all(phones.map((phone) => phone.stop())));

    async function phone(
      name: string,
      toneHz: number,
    ): Promise<BaresipPhone & { username: string; endpointId: string }> {
      const password = `secret-${name}`;
      const endpoint = await platform.createEndpoint(name, password);
      const started = await BaresipPhone.start({
        registrar: `127.0.0.1:${platform.sipsPort}`,
        username: endpoint.username,
        password,
        toneHz,
        transport: 'tls',
        authorityFile: certificate.certFile,
      });
      phones.push(started);
      return Object.assign(started, endpoint);
    }

    it('two phones register over TLS, one calls the other, and each hears the other’s tone', async () => {
      const [alice, bob] = [await phone('alice', 440), await phone('bob', 700)];
      await Promise.all([alice.registered(), bob.registered()]);
      const { body: endpoint } = await platform.api('GET', `Endpoint/${alice.endpointId}/`);
      assert.match(endpoint.sip_contact, /transport=tls/);
      alice.dial(`sip:${bob.username}@127.0.0.1:${platform.sipsPort};transport=tls`);
      await Promise.all([alice.established(), bob.established()]);
      await Promise.all([heardTone(bob, 440), heardTone(alice, 700)]);
      alice.hangUp();
      await Promise.all([alice.closed(), bob.closed()]);
    });
  });

  it('a file that cannot be used stops the start with a sentence', async () => {
    const environment = { JACKFIELD_TLS_CERT: '/nowhere.pem', JACKFIELD_TLS_KEY: certificate.keyFile };
    await assert.rejects(
      PlatformProcess.start(environment),
      /"JACKFIELD_TLS_CERT: the file \/nowhere\.pem does not exist"/,
    );
  });

  it('calls carriers over TLS whose certificate names them and comes from an authority that the server trusts, and no others (RFC 5922)', async () => {
    const [named, misnamed, unknown] = await Promise.all([
      carrier('DNS:localhost,URI:sip:localhost'),
      carrier('DNS:localhost,URI:sip:elsewhere.example'),
      carrier('DNS:localhost,URI:sip:localhost'),
    ]);
    const directory = mkdtempSync(join(tmpdir(), 'authorities-'));
    const [authorities, file] = [join(directory, 'ca.pem'), join(directory, 'carriers.json')];
    writeFileSync(authorities, `${named.certificate}${misnamed.certificate}`);
    const caps = { calls_per_second: 1 };
    const carriers = Object.entries({ named, misnamed, unknown }).map(([name, { port }], index) => ({
      ...{ name, host: 'localhost', port, transport: 'tls', prefixes: [{ prefix: String(index + 1) }] },
      ...{ caps, probe_seconds: 5 },
    }));
    writeFileSync(file, JSON.stringify({ carriers }));
    const caller = await PlatformProcess.start({
      JACKFIELD_SIPS_PORT: '0',
      JACKFIELD_TLS_CERT: certificate.certFile,
      JACKFIELD_TLS_KEY: certificate.keyFile,
      JACKFIELD_TLS_CA: authorities,
      JACKFIELD_PUBLIC_URL: 'https://localhost:8080',
      JACKFIELD_CARRIERS: file,
    });
    try {
      await named.heard.until('a request of the server', (line) =>
        /^OPTIONS sip:localhost.* SIP\/2\.0/.test(line),
      );
      const reach = async (name: string) =>
        Object.values(await caller.metrics(`jackfield_carrier_reachable{carrier="${name}"}`))[0];
      for (const name of ['misnamed', 'unknown']) {
        for (const limit = Date.now() + patienceMs; (await reach(name)) !== 0; ) {
          assert.ok(Date.now() < limit, `${name} is still taken for reachable`);
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
      for (const { heard } of [misnamed, unknown]) {
        assert.ok(!heard.all.some((line) => line.startsWith('OPTIONS')), 'not a word was said');
      }
    } finally {
      await caller.stop();
      rmSync(directory, { recursive: true });
    }
  });

  /** Runs the commands of a page, where systemd does what the unit says to this process. */
  function reload(commands: string): void {
    const unit = readFileSync(join(import.meta.dirname, '../deploy/jackfield.service'), 'utf8');
    const [, order] = /^ExecReload=(.*)$/m.exec(unit) ?? [];
    const systemctl = `systemctl() { test "$*" = 'reload jackfield'; ${order}; }`;
    const { status, stderr } = spawnSync('sh', ['-c', ['set -eu', systemctl, commands].join('\n')], {
      env: { PATH: process.env.PATH, MAINPID: String(platform.pid) },
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  }

  it('reads a new certificate when systemd reloads it, for SIP and HTTPS, without touching what stands', async () => {
    const standing = await secure(platform.sipsPort);
    certificate.renew(`${names},DNS:renewed.example`);
    const renewed = readFileSync(certificate.certFile, 'utf8');
    setDefaultCACertificates([...trusted, authority, renewed]);
    for (const { text } of blocksRunBy('docs/operate/tls.md', import.meta.filename)) reload(text);
    await platform.log.until('the new certificate', (line) => /was read again/.test(String(line.message)));
    for (const port of [platform.sipsPort, Number(new URL(platform.httpUrl).port)]) {
      const socket = await secure(port, { ca: renewed, servername: 'renewed.example' });
      assert.match(socket.getPeerCertificate().subjectaltname ?? '', /renewed\.example/);
    }
    standing.write(options('z9hG4bKstanding'));
    assert.match(String((await once(standing, 'data'))[0]), /^SIP\/2\.0 200 OK/);
  });
});

function options(branch: string): string {
  return [
    'OPTIONS sip:sip.localhost SIP/2.0',
    `Via: SIP/2.0/TLS phone.invalid;branch=${branch};rport`,
    'Max-Forwards: 70',
    'From: <sip:phone@sip.localhost>;tag=1',
    'To: <sip:sip.localhost>',
    `Call-ID: ${branch}`,
    'CSeq: 1 OPTIONS',
    'Content-Length: 0',
    '\r\n',
  ].join('\r\n');
}
