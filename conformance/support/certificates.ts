import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate in files, as an operator has it. */
export interface CertificateOnDisk {
  readonly certFile: string;
  readonly keyFile: string;
  /** Replaces both by a new certificate of these names. */
  renew(names: string): void;
  remove(): void;
}

/** A certificate that is its own authority, made with openssl; `names` is its subjectAltName. */
export function createCertificate(names: string): CertificateOnDisk {
  const directory = mkdtempSync(join(tmpdir(), 'certificate-'));
  const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const renew = (subjectName: string): void => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
    const subject = ['-subj', '/CN=jackfield', '-addext', `subjectAltName=${subjectName}`];
    const made = spawnSync('openssl', ['req', '-x509', ...key, '-out', certFile, ...subject, '-days', '2']);
    if (made.status !== 0) throw new Error(`openssl made no certificate: ${made.stderr}`);
  };
  renew(names);
  return { certFile, keyFile, renew, remove: () => rmSync(directory, { recursive: true }) };
}
