import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { IssuedCertificate } from '@jackfield/ports';
import { readCertificate } from '../certificate-files.ts';

const ownerOnly = { directory: 0o700, file: 0o600 };

/** The certificate in the data directory, in one file with its key: a crash between two files would leave a pair that does not match. */
export interface CertificateStore {
  /** PEM of the key by which the authority knows this server; `create` makes the first one. */
  accountKey(create: () => Promise<string>): Promise<string>;
  /** The stored certificate; undefined where none can be used. */
  read(): X509Certificate | undefined;
  write(certificate: IssuedCertificate): void;
}

/** `file` is the certificate; the key of the account is beside it. */
export function createCertificateStore(file: string): CertificateStore {
  const directory = dirname(file);

  function replace(path: string, text: string): void {
    mkdirSync(directory, { recursive: true, mode: ownerOnly.directory });
    const unfinished = `${path}.new`;
    writeFileSync(unfinished, text, { mode: ownerOnly.file, flush: true });
    renameSync(unfinished, path);
  }

  return {
    async accountKey(create) {
      const path = join(directory, 'account.key');
      if (!existsSync(path)) replace(path, await create());
      return readFileSync(path, 'utf8');
    },
    read() {
      try {
        return new X509Certificate(readCertificate({ certFile: file, keyFile: file }).cert);
      } catch {
        return undefined;
      }
    },
    write: ({ cert, key }) => replace(file, `${key.trimEnd()}\n${cert.trimEnd()}\n`),
  };
}
