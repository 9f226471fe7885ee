import { type CarriersFile, readCarriersFile } from './carriers-file.ts';
import { readAuthorities, readCertificate } from './certificate-files.ts';
import type { ClusterConfig, Config } from './config.ts';
import { readOperatorFile } from './operator-file.ts';
import { readRates } from './rates-file.ts';

/** What the operator's files hold. */
export type StartFiles = ReturnType<typeof readStartFiles>;

const noCarriers: CarriersFile = { carriers: [], accounts: [] };

/** Reads the operator's files before anything is opened; throws a StartFailure that names the unusable one. */
export function readStartFiles({ ratesFile, carriersFile, tls, cluster }: Config) {
  const rates = ratesFile === undefined ? undefined : readRates(ratesFile);
  return {
    rates,
    operated: carriersFile === undefined ? noCarriers : readCarriersFile(carriersFile, rates !== undefined),
    certificate: tls === undefined ? undefined : readCertificate(tls),
    authorities: tls?.authoritiesFile === undefined ? [] : readAuthorities(tls.authoritiesFile),
    nats: natsFiles(cluster ?? {}),
  };
}

function natsFiles({
  credentialsFile,
  authoritiesFile,
}: Partial<Pick<ClusterConfig, 'credentialsFile' | 'authoritiesFile'>>) {
  return {
    ...(credentialsFile === undefined
      ? {}
      : { creds: readOperatorFile('JACKFIELD_NATS_CREDS', credentialsFile) }),
    authorities: authoritiesFile === undefined ? [] : readAuthorities(authoritiesFile, 'JACKFIELD_NATS_CA'),
  };
}
