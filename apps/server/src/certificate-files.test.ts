import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Logger } from '@jackfield/ports';
import type { Certificate } from '@jackfield/sip/transport';
import { readAuthorities, readCertificate, watchCertificate } from './certificate-files.ts';

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';
const directory = mkdtempSync(join(tmpdir(), 'certificate-files-'));
after(() => rmSync(directory, { recursive: true }));
const at = (name: string): string => join(directory, name);

function make(name: string): { certFile: string; keyFile: string } {
  const files = { certFile: at(`${name}.pem`), keyFile: at(`${name}.key`) };
  const key = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    files.keyFile,
  ];
  spawnSync('openssl', [
    'req',
    '-x509',
    ...key,
    '-out',
    files.certFile,
    '-subj',
    `/CN=${name}`,
    '-days',
    '2',
  ]);
  return files;
}

describe('the files of the certificate', { skip }, () => {
  const good = skip ? { certFile: '', keyFile: '' } : make('good');
  const other = skip ? good : make('other');

  it('are read as PEM, with the day on which it ends', () => {
    const { cert, key, expires } = readCertificate(good);
    assert.match(cert, /^-----BEGIN CERTIFICATE-----/);
    assert.match(key, /^-----BEGIN PRIVATE KEY-----/);
    assert.ok(expires.getTime() > Date.now());
  });

  it('that cannot be used stop the start with the variable, the file and what is wrong', () => {
    writeFileSync(at('words'), 'words');
    for (const [files, sentence] of [
      [{ ...good, certFile: at('none') }, /^JACKFIELD_TLS_CERT: the file .*none does not exist$/],
      [{ ...good, keyFile: directory }, /^JACKFIELD_TLS_KEY: the file .* is a directory, not a file$/],
      [{ ...good, certFile: at('words') }, /^JACKFIELD_TLS_CERT: .*words holds no certificate in PEM$/],
      [{ ...good, keyFile: at('words') }, /^JACKFIELD_TLS_KEY: .*words holds no private key in PEM/],
      [
        { ...good, keyFile: other.keyFile },
        /^JACKFIELD_TLS_KEY: .*other\.key is not the key of .*good\.pem$/,
      ],
    ] as const) {
      assert.throws(() => readCertificate(files), { name: 'StartFailure', message: sentence });
    }
  });

  it('of authorities are read one by one, or stop the start', () => {
    const both = `${readFileSync(good.certFile, 'utf8')}\n${readFileSync(other.certFile, 'utf8')}`;
    writeFileSync(at('authorities'), both);
    assert.equal(readAuthorities(at('authorities')).length, 2);
    writeFileSync(at('words'), 'words');
    writeFileSync(at('broken'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    for (const file of [at('words'), at('broken')]) {
      assert.throws(() => readAuthorities(file), {
        message: /^JACKFIELD_TLS_CA: .* holds no certificate in PEM$/,
      });
    }
    assert.throws(() => readAuthorities(at('none')), {
      message: /^JACKFIELD_TLS_CA: the file .*none does not exist$/,
    });
  });

  it('are read again on request; unusable files are logged and change nothing', () => {
    const files = make('changing');
    const renewed: Certificate[] = [];
    const logged: string[] = [];
    const note = (_fields: object, message?: string) => void logged.push(message ?? '');
    const log = { info: note, error: note } as unknown as Logger;
    const watch = watchCertificate(files, log, (certificate) => void renewed.push(certificate));
    make('changing');
    watch.reload();
    assert.equal(renewed.length, 1);
    writeFileSync(files.keyFile, 'half written');
    watch.reload();
    watch.close();
    assert.equal(renewed.length, 1);
    assert.match(logged.join('\n'), /read again[\s\S]*cannot be used/);
  });
});
