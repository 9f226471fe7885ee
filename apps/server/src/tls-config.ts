import { join, resolve } from 'node:path';
import { certificateNames, type NamedServer } from './acme/certificate-names.ts';
import type { ConfigProblem, ConfigReader } from './config-reader.ts';
import { tlsVariables } from './tls-variables.ts';

/** SIP over TLS, by absolute paths of PEM files. */
export interface TlsConfig {
  readonly port: number;
  /** Whether the API has the certificate as well; else it is plain HTTP, for a proxy that ends TLS. */
  readonly isHttps: boolean;
  readonly certFile: string;
  readonly keyFile: string;
  /** Authorities of the servers that we connect to, besides the public ones. */
  readonly authoritiesFile?: string;
  /** The server orders its certificate itself, and keeps it and its key in one file. */
  readonly acme?: { readonly directory: string; readonly port: number };
}

/** Where the port 80 of the names leads by default. */
const challengePort = 80;

export function readTls({ optional }: ConfigReader, dataDir: string): TlsConfig | undefined {
  const certFile = optional(tlsVariables.tlsCert, 'no TLS');
  const keyFile = optional(tlsVariables.tlsKey, 'no TLS');
  const authoritiesFile = optional(tlsVariables.tlsCa, 'public authorities');
  const httpTls = optional(tlsVariables.httpTls, 'true with a certificate');
  const directory = optional(tlsVariables.acmeDirectory, 'no certificate is ordered');
  const acmePort = optional(tlsVariables.acmePort, directory === undefined ? 'none' : String(challengePort));
  const isGiven = certFile !== undefined && keyFile !== undefined;
  const port =
    optional(tlsVariables.sipsPort, isGiven || directory !== undefined ? '5061' : 'no TLS') ?? 5061;
  const authorities = authoritiesFile === undefined ? {} : { authoritiesFile: resolve(authoritiesFile) };
  const common = { port, isHttps: httpTls ?? true, ...authorities };
  if (isGiven) return { ...common, certFile: resolve(certFile), keyFile: resolve(keyFile) };
  if (directory === undefined) return undefined;
  const stored = join(dataDir, 'certificate', 'certificate.pem');
  const acme = { directory, port: acmePort ?? challengePort };
  return { ...common, certFile: stored, keyFile: stored, acme };
}

interface CheckedConfig extends NamedServer {
  readonly http: { readonly port: number };
  readonly operator?: { readonly port: number };
  readonly sip: NamedServer['sip'] & { readonly port: number };
  readonly tls?: TlsConfig;
}

/** Mistakes that involve several variables of TLS. */
export function tlsContradictions(
  config: CheckedConfig,
  { isSet }: Pick<ConfigReader, 'isSet'>,
): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const { sipsPort, tlsCert, tlsKey, tlsCa, httpTls, acmeDirectory, acmePort } = tlsVariables;
  const refuse = (variable: string, sentence: string): void => {
    problems.push({ variable, sentence: `${variable} ${sentence}` });
  };
  const [given, lacking] = isSet(tlsCert) ? [tlsCert, tlsKey] : [tlsKey, tlsCert];
  if (isSet(given) && !isSet(lacking)) refuse(lacking.name, `must be set together with ${given.name}`);
  if (isSet(acmeDirectory) && isSet(given))
    refuse(acmeDirectory.name, `must not be set together with ${given.name}: set one of them`);
  if (isSet(acmePort) && !isSet(acmeDirectory))
    refuse(acmePort.name, `needs ${acmeDirectory.name}: no authority looks there without an order`);
  if (!isSet(given) && !isSet(acmeDirectory))
    for (const { name } of [sipsPort, tlsCa, httpTls].filter(isSet))
      refuse(
        name,
        `needs ${tlsCert.name} and ${tlsKey.name}, or ${acmeDirectory.name}: there is no TLS without a certificate`,
      );
  const { tls } = config;
  if (tls?.acme === undefined) return problems;
  if (certificateNames(config).length === 0)
    refuse(
      acmeDirectory.name,
      `needs a name that an authority can reach: set JACKFIELD_SIP_DOMAINS${tls.isHttps ? ' or JACKFIELD_PUBLIC_URL' : ''} to a host name`,
    );
  for (const [other, variable] of [
    [config.http.port, 'JACKFIELD_HTTP_PORT'],
    [config.sip.port, 'JACKFIELD_SIP_PORT'],
    [tls.port, sipsPort.name],
    [config.operator?.port, 'JACKFIELD_OPERATOR_PORT'],
  ] as const)
    if (tls.acme.port !== 0 && tls.acme.port === other)
      refuse(acmePort.name, `must be another port than ${variable}, not ${other}: both take TCP`);
  return problems;
}
