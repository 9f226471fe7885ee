import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from '../tls-transport.ts';

/** The skip reason of tests that need openssl; false if it is installed. */
export const noOpenssl: false | string =
  spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

/** A certificate authority for tests. */
export interface TestAuthority {
  /** Its own certificate, as PEM. */
  readonly pem: string;
  /** A certificate with that subjectAltName; a negative number of days makes an expired one. */
  issue(names: string, days?: number): Certificate;
}

/** Makes an authority with openssl: Node cannot sign certificates. */
export function createAuthority(): TestAuthority {
  const pem = inDirectory((at) => {
    openssl(
      'req',
      '-x509',
      ...newKey(at('ca.key')),
      '-out',
      at('ca.pem'),
      '-subj',
      '/CN=authority',
      '-days',
      '2',
    );
    return { cert: readFileSync(at('ca.pem'), 'utf8'), key: readFileSync(at('ca.key'), 'utf8') };
  });
  return {
    pem: pem.cert,
    issue: (names, days = 2) =>
      inDirectory((at) => {
        writeFileSync(at('ca.pem'), pem.cert);
        writeFileSync(at('ca.key'), pem.key);
        const subject = ['-subj', '/CN=leaf', '-addext', `subjectAltName=${names}`];
        openssl('req', ...newKey(at('key')), '-out', at('csr'), ...subject);
        const signer = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-copy_extensions', 'copyall'];
        openssl('x509', '-req', '-in', at('csr'), ...signer, '-days', String(days), '-out', at('cert'));
        return { cert: readFileSync(at('cert'), 'utf8'), key: readFileSync(at('key'), 'utf8') };
      }),
  };
}

function newKey(path: string): string[] {
  return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', path];
}

function openssl(...parameters: string[]): void {
  const { status, stderr } = spawnSync('openssl', parameters, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${parameters.join(' ')}: ${stderr}`);
}

function inDirectory<Result>(work: (at: (name: string) => string) => Result): Result {
  const directory = mkdtempSync(join(tmpdir(), 'certificates-'));
  try {
    return work((name) => join(directory, name));
  } finally {
    rmSync(directory, { recursive: true });
  }
}
