import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect, type PeerCertificate } from 'node:tls';
import { spawnBound } from './support/bound-child.ts';
import { cleanUp } from './support/clean-up.ts';
import { missing } from './support/installed.ts';
import { type Pebble, startPebble } from './support/pebble.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { serverMain } from './support/server-main.ts';

const names = ['calls.example.com', 'sip.example.com'];
const programs = missing('pebble', 'pebble-challtestsrv', 'openssl');

describe('certificates by ACME', { skip: programs, timeout: 300_000 }, () => {
  let pebble: Pebble;
  let platform: PlatformProcess;
  let challengePort: number;

  before(async () => {
    challengePort = await freePort();
    pebble = await startPebble({ validSeconds: 30, challengePort });
    platform = await PlatformProcess.start({
      JACKFIELD_ACME_DIRECTORY: pebble.directory,
      JACKFIELD_ACME_PORT: String(challengePort),
      JACKFIELD_TLS_CA: pebble.authorityFile,
      JACKFIELD_SIPS_PORT: '0',
      JACKFIELD_SIP_DOMAINS: names[1]!,
      JACKFIELD_PUBLIC_URL: `https://${names[0]}`,
    });
  });

  after(() =>
    cleanUp(
      async () => assert.equal(await platform.stop(), 0),
      () => pebble.stop(),
    ),
  );

  /** The certificate that a client sees. */
  async function shownAt(port: number): Promise<PeerCertificate> {
    const socket = connect({ host: '127.0.0.1', port, servername: names[0]!, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const certificate = socket.getPeerCertificate();
    socket.destroy();
    return certificate;
  }

  /** The first certificate behind this line of the log. */
  const issued = (from = 0) =>
    platform.log.until('a certificate', ({ message }) => message === 'certificate issued', {
      from,
      limitMs: 120_000,
    });
  const httpPort = () => Number(new URL(platform.httpUrl).port);

  it('an ordered certificate replaces the temporary one on HTTPS and SIPS without a restart', async () => {
    await issued();
    for (const port of [httpPort(), platform.sipsPort]) {
      const { issuer, subjectaltname = '' } = await shownAt(port);
      assert.match(String(issuer.CN), /^Pebble Intermediate CA/);
      for (const name of names) assert.ok(subjectaltname.includes(`DNS:${name}`), subjectaltname);
    }
  });

  it('the certificate and its key are in the data directory, for their owner alone', () => {
    for (const file of ['certificate.pem', 'account.key'])
      assert.equal(statSync(join(platform.dataDir, 'certificate', file)).mode & 0o777, 0o600);
  });

  it('the port of the challenges answers nothing else', async () => {
    const at = `http://127.0.0.1:${challengePort}`;
    for (const path of ['/', '/v1/Account/', '/.well-known/acme-challenge/', '/.well-known/acme-challenge/x'])
      assert.equal((await fetch(`${at}${path}`)).status, 404, path);
    assert.equal((await fetch(`${at}/`, { method: 'POST' })).status, 405);
  });

  it('a certificate is renewed before it ends, and used from the next handshake on', async () => {
    const before = await shownAt(httpPort());
    await issued(platform.log.all.length);
    for (const port of [httpPort(), platform.sipsPort]) {
      const { serialNumber, valid_to: end } = await shownAt(port);
      assert.notEqual(serialNumber, before.serialNumber);
      assert.ok(Date.parse(end) > Date.parse(before.valid_to));
    }
  });

  it('jackfield doctor says what is stored, and whether the authority answers', async () => {
    const doctor = async (directory: string) => {
      const child = spawnBound(
        process.execPath,
        [serverMain, 'doctor', '--json', '--no-call', '--ntp', 'localhost'],
        {
          env: {
            PATH: process.env.PATH,
            JACKFIELD_DATA_DIR: platform.dataDir,
            JACKFIELD_ACME_DIRECTORY: directory,
            JACKFIELD_ACME_PORT: String(challengePort),
            JACKFIELD_TLS_CA: pebble.authorityFile,
            JACKFIELD_SIP_DOMAINS: names.join(),
            JACKFIELD_PUBLIC_URL: `https://${names[0]}`,
          },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      const text = (await child.stdout!.toArray()).join('');
      const findings = JSON.parse(text) as readonly Record<'subject' | 'outcome' | 'sentence', string>[];
      return (subject: string) => findings.find((each) => each.subject === subject) ?? assert.fail(text);
    };
    const of = await doctor(pebble.directory);
    assert.match(of('certificate').sentence, /^valid until .*; the server renews it in time$/);
    assert.equal(of('names of the certificate').outcome, 'sound');
    assert.equal(
      of('authority of the certificate').outcome,
      'sound',
      of('authority of the certificate').sentence,
    );
    const elsewhere = await doctor(pebble.directory.replace(/dir$/, 'none'));
    assert.match(
      elsewhere('authority of the certificate').sentence,
      /^JACKFIELD_ACME_DIRECTORY: .*its answer is no JSON/,
    );
  });

  it('a restart uses the stored certificate', async () => {
    const temporary = () =>
      platform.log.all.filter(({ message }) => String(message).startsWith('temporary certificate'));
    assert.equal(temporary().length, 1);
    await platform.killAndRestart();
    assert.match(String((await shownAt(httpPort())).issuer.CN), /^Pebble Intermediate CA/);
    assert.equal(temporary().length, 1);
  });
});
