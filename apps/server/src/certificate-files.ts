import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Logger } from '@jackfield/ports';
import type { Certificate } from '@jackfield/sip/transport';
import { readOperatorFile } from './operator-file.ts';
import { StartFailure } from './start-failure.ts';

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Reads JACKFIELD_TLS_CERT and JACKFIELD_TLS_KEY; throws a StartFailure that names the unusable file and the reason. */
export function readCertificate({ certFile, keyFile }: CertificateFiles): Certificate & {
  readonly expires: Date;
} {
  const cert = readOperatorFile('JACKFIELD_TLS_CERT', certFile);
  const key = readOperatorFile('JACKFIELD_TLS_KEY', keyFile);
  const leaf = parsed(
    `JACKFIELD_TLS_CERT: ${certFile} holds no certificate in PEM`,
    () => new X509Certificate(cert),
  );
  const privateKey: KeyObject = parsed(
    `JACKFIELD_TLS_KEY: ${keyFile} holds no private key in PEM that can be read without a passphrase`,
    () => createPrivateKey(key),
  );
  if (!leaf.checkPrivateKey(privateKey)) {
    const sentence = `JACKFIELD_TLS_KEY: ${keyFile} is not the key of the first certificate in ${certFile}`;
    throw new StartFailure(sentence, undefined);
  }
  parsed(`JACKFIELD_TLS_CERT: ${certFile} cannot be used for TLS`, () => createSecureContext({ cert, key }));
  return { cert, key, expires: leaf.validToDate };
}

/** Reads every certificate of the file that `variable` names; throws a StartFailure where none is present, or one is invalid. */
export function readAuthorities(file: string, variable = 'JACKFIELD_TLS_CA'): readonly string[] {
  const blocks = readOperatorFile(variable, file).match(
    /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g,
  );
  const sentence = `${variable}: ${file} holds no certificate in PEM`;
  if (blocks === null) throw new StartFailure(sentence, undefined);
  for (const block of blocks) parsed(sentence, () => new X509Certificate(block));
  return blocks;
}

/** Reloads a certificate that changes at run time. */
export interface CertificateWatch {
  /** Reads the files now. */
  reload(): void;
  close(): void;
}

/** Interval of the checks: tools that renew certificates replace files and links in many ways, and a check costs almost nothing. */
const lookEveryMs = 30_000;

/**
 * Reports new contents of the files, by itself unless the server writes them and calls `reload`; an unusable certificate is logged,
 * and the previous one stays in force.
 */
export function watchCertificate(
  files: CertificateFiles & { readonly acme?: object },
  log: Logger,
  renewed: (certificate: Certificate) => void,
): CertificateWatch {
  const reload = (): void => {
    try {
      const { cert, key, expires } = readCertificate(files);
      renewed({ cert, key });
      log.info({ expires: expires.toISOString() }, 'The certificate was read again.');
    } catch (error) {
      log.error({ err: error }, 'The new certificate cannot be used; the one before stays in force.');
    }
  };
  const paths = files.acme === undefined ? [files.certFile, files.keyFile] : [];
  for (const path of paths) watchFile(path, { interval: lookEveryMs, persistent: false }, reload);
  return {
    reload,
    close() {
      for (const path of paths) unwatchFile(path, reload);
    },
  };
}

function parsed<Value>(sentence: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw new StartFailure(sentence, error);
  }
}
