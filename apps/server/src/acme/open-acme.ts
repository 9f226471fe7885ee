import type { CertificateAuthority, Clock, Logger } from '@jackfield/ports';
import { readAuthorities } from '../certificate-files.ts';
import type { Config } from '../config.ts';
import { openDataDirectory } from '../data-directory.ts';
import { explained, explainListening } from '../start-failure.ts';
import { certificateNames } from './certificate-names.ts';
import { createCertificateStore, type StoredCertificate } from './certificate-store.ts';
import { type CertificateInUse, createRenewal } from './renewal.ts';

const variables = { host: 'JACKFIELD_HTTP_HOST', port: 'JACKFIELD_ACME_PORT' };

/** Certificates that the server orders itself. */
export interface Acme {
  /** Orders now where no certificate can be used, and from here on in time; `renewed` puts a new one to use. */
  start(renewed: () => void): void;
  close(): Promise<void>;
}

/**
 * Opens the port for challenges. Where no certificate is stored, a temporary one is: every port opens, and the server needs no restart when an
 * authority has issued the first one. Undefined without JACKFIELD_ACME_DIRECTORY.
 */
export async function openAcme(config: Config, clock: Clock, log: Logger): Promise<Acme | undefined> {
  const { tls, http } = config;
  if (tls?.acme === undefined) return undefined;
  const { directory, port } = tls.acme;
  const names = certificateNames(config);
  const authorities = tls.authoritiesFile === undefined ? [] : readAuthorities(tls.authoritiesFile);
  openDataDirectory(config.dataDir, log);
  // Its libraries are 6 MB in memory: loaded where they are needed.
  const { createAccountKey, createAcmeAuthority, createTemporaryCertificate } = await import(
    '@jackfield/adapters/certificates-acme'
  );
  const { openChallengeListener } = await import('./challenge-listener.ts');
  const store = createCertificateStore(tls.certFile);
  if (store.read() === undefined) {
    store.write(await createTemporaryCertificate(names, new Date(clock.wallNow())));
    log.warn({ names }, 'temporary certificate in use until an authority has issued one');
  }
  const accountKey = await store.accountKey(createAccountKey);
  const at = { host: http.host, port };
  const listener = await explained(explainListening(variables, at), () => openChallengeListener(at));
  const { answers } = listener;
  const authority: CertificateAuthority = createAcmeAuthority({
    directory,
    accountKey,
    answers,
    authorities,
  });
  let putToUse: () => void = () => undefined;
  const renewal = createRenewal({
    clock,
    log,
    inUse: () => inUse(store.read(), names, directory),
    async renew() {
      store.write(await authority.order(names), directory);
      putToUse();
    },
  });
  return {
    start(renewed) {
      putToUse = renewed;
      renewal.start();
    },
    async close() {
      renewal.close();
      await listener.close();
    },
  };
}

function inUse(
  stored: StoredCertificate | undefined,
  names: readonly string[],
  directory: string,
): CertificateInUse {
  if (stored === undefined) return { from: new Date(0), to: new Date(0), isSound: false };
  const { certificate, directory: from = directory } = stored;
  const { issuer, subject, validFromDate, validToDate } = certificate;
  const isIssuedHere = issuer !== subject && from === directory;
  const isSound = isIssuedHere && names.every((name) => certificate.checkHost(name) !== undefined);
  return { from: validFromDate, to: validToDate, isSound };
}
