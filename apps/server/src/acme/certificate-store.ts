import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { IssuedCertificate } from '@jackfield/ports';
import { readCertificate } from '../certificate-files.ts';

const ownerOnly = { directory: 0o700, file: 0o600 };

export interface StoredCertificate {
  readonly certificate: X509Certificate;
  /** The directory of the authority that issued it; undefined for a temporary one, and one of a release that stored none. */
  readonly directory: string | undefined;
}

/**
 * The certificate in the data directory, in one file with its key and its directory: a crash between two files would leave a pair that does
 * not match.
 */
export interface CertificateStore {
  /** PEM of the key by which the authority knows this server; `create` makes the first one. */
  accountKey(create: () => Promise<string>): Promise<string>;
  /** The stored certificate; undefined where none can be used. */
  read(): StoredCertificate | undefined;
  write(certificate: IssuedCertificate, directory?: string): void;
}

/** RFC 7468 §2: what reads PEM ignores text before it. */
const explanation = 'Directory: ';

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
        const { cert } = readCertificate({ certFile: file, keyFile: file });
        const [first = ''] = cert.split('\n', 1);
        return {
          certificate: new X509Certificate(cert),
          directory: first.startsWith(explanation) ? first.slice(explanation.length) : undefined,
        };
      } catch {
        return undefined;
      }
    },
    write({ cert, key }, directory) {
      const before = directory === undefined ? '' : `${explanation}${directory}\n`;
      replace(file, `${before}${key.trimEnd()}\n${cert.trimEnd()}\n`);
    },
  };
}
