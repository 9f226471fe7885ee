import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createSystemClock } from '@jackfield/adapters/clock';
import { createRecordingLog } from '@jackfield/testkit';
import { readCertificate } from '../certificate-files.ts';
import { loadConfig } from '../config.ts';
import { examineCertificate } from '../doctor/names.ts';
import { createCertificateStore } from './certificate-store.ts';
import { openAcme } from './open-acme.ts';

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';
const name = 'calls.example.com';

describe('The stored certificate', { skip, timeout: 60_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'open-acme-'));
  const at = (file: string) => join(directory, file);
  const file = at('certificate/certificate.pem');
  /** Accepts connections and cuts them: no order succeeds. */
  let connections = 0;
  const authority = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  let production = '';
  const staging = 'https://staging.example/directory';

  before(async () => {
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const made = (...more: string[]) => {
      const { status, stderr } = spawnSync('openssl', [...request, '-days', '9', ...more], {
        encoding: 'utf8',
      });
      assert.equal(status, 0, stderr);
    };
    made('-subj', '/CN=authority', '-keyout', at('ca.key'), '-out', at('ca.pem'));
    const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca.key')];
    const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
    made(...signed, ...names, '-keyout', at('leaf.key'), '-out', at('leaf.pem'));
    authority.listen(0, '127.0.0.1');
    await once(authority, 'listening');
    production = `https://127.0.0.1:${(authority.address() as AddressInfo).port}/directory`;
  });
  after(async () => {
    authority.close();
    await once(authority, 'close');
    rmSync(directory, { recursive: true });
  });
  beforeEach(() => rmSync(at('certificate'), { recursive: true, force: true }));

  const stored = () => ({
    cert: readFileSync(at('leaf.pem'), 'utf8'),
    key: readFileSync(at('leaf.key'), 'utf8'),
  });
  function configured() {
    const env = {
      JACKFIELD_DATA_DIR: directory,
      JACKFIELD_ACME_DIRECTORY: production,
      JACKFIELD_ACME_PORT: '0',
      JACKFIELD_HTTP_HOST: '127.0.0.1',
      JACKFIELD_SIP_DOMAINS: name,
      JACKFIELD_PUBLIC_URL: `https://${name}`,
    };
    const loaded = loadConfig({ env, mode: 'production' });
    assert.ok(loaded.ok, JSON.stringify(loaded));
    return loaded.config;
  }
  /** What doctor says, which connects to the authority once. */
  async function finding() {
    const findings = await examineCertificate(configured(), Date.now());
    connections -= 1;
    return findings.find(({ subject }) => subject === 'certificate')!;
  }

  it('of this directory, or from before directories were stored, is not ordered anew', async () => {
    for (const from of [production, undefined]) {
      createCertificateStore(file).write(stored(), from);
      assert.match((await finding()).sentence, /^valid until .*; the server renews it in time$/);
      const acme = await openAcme(configured(), createSystemClock(), createRecordingLog());
      acme!.start(() => undefined);
      await acme!.close();
    }
    // The order of the next test is the first one.
    assert.equal(connections, 0);
  });

  it('of another directory is in use until the one of this directory is ordered, at once', async () => {
    createCertificateStore(file).write(stored(), staging);
    assert.equal(readCertificate({ certFile: file, keyFile: file }).cert, readFileSync(file, 'utf8'));
    const { outcome, sentence } = await finding();
    assert.equal(outcome, 'warning');
    assert.match(
      sentence,
      new RegExp(`was ordered at ${staging}: the next start orders one at ${production}`),
    );
    const acme = await openAcme(configured(), createSystemClock(), createRecordingLog());
    const ordered = once(authority, 'connection');
    acme!.start(() => assert.fail('nothing was issued'));
    await ordered;
    assert.equal(connections, 1);
    assert.ok(createCertificateStore(file).read()?.certificate.checkHost(name));
    await acme!.close();
  });
});
