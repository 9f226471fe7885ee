import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { nearestName } from '@jackfield/platform';
import { type ConfigVariable, configVariables } from './config-variables.ts';
import { readLimits, type ServerLimits } from './limit-variables.ts';
import { type MediaConfig, readMedia } from './media-variables.ts';

import { detectPublicAddress } from './public-address.ts';

/** All settings of an operator, validated; no other file reads the environment. */
export interface Config extends MediaConfig {
  readonly sandbox: boolean;
  /** Whether `npm start` prints a line for each call, document, callback and stream. */
  readonly activity: boolean;
  readonly http: { readonly host: string; readonly port: number };
  /** Whether the reference of the API is served at `/docs` and `/openapi.json`. */
  readonly docs: boolean;
  /** Access to `/metrics`. */
  readonly metricsAccess: 'open' | 'off' | { readonly token: string };
  readonly sip: {
    readonly host: string;
    readonly port: number;
    /** The first is the realm. */
    readonly domains: readonly string[];
    /** Algorithms that challenges offer, in this order. */
    readonly digest: readonly ('MD5' | 'SHA-256')[];
    /** SRTP with phones whose signalling is private. */
    readonly srtp: 'off' | 'offer' | 'require';
  };
  /** SIP over TLS and HTTPS, by absolute paths of PEM files; neither when absent. */
  readonly tls?: {
    readonly port: number;
    readonly certFile: string;
    readonly keyFile: string;
    /** Authorities of the servers that we connect to, besides the public ones. */
    readonly authoritiesFile?: string;
  };
  readonly publicAddress: string;
  /** An absolute path. */
  readonly dataDir: string;
  /** PostgreSQL; the embedded database when absent. */
  readonly databaseUrl?: string;
  /** The first account; generated once when absent. */
  readonly account?: { readonly authId: string; readonly authToken: string };
  /** 32 bytes; generated once into the data directory when absent. */
  readonly secretKey?: Uint8Array;
  /** Networks that callbacks may reach besides the public Internet, and in the sandbox private ones. */
  readonly egressAllow?: readonly string[];
  /** The URL at which customers reach the HTTP interface, such as `https://calls.example.com`: URLs of recordings begin with it. */
  readonly publicUrl: string;
  /** Prefixes of the signature headers of callbacks. */
  readonly signaturePrefixes?: readonly string[];
  /** An absolute path; calls are free when absent. */
  readonly ratesFile?: string;
  /** An absolute path; numbers outside the sandbox are unreachable when absent. */
  readonly carriersFile?: string;
  /** An absolute path; when absent, messages go to the inbox of the sandbox, or are not sent. */
  readonly smsFile?: string;
  /** How long live calls may continue after the first signal. */
  readonly drainSeconds: number;
  /** How long the log of callbacks is kept. */
  readonly callbackDays: number;
  /** How long recordings are kept; for ever when absent. */
  readonly recordingDays?: number;
  /** How long records of ended calls are kept; for ever when absent. */
  readonly callDays?: number;
  readonly multipartyCallDays?: number;
  readonly verifyDays?: number;
  /** An S3-compatible store for recordings; they stay in the data directory when absent. */
  readonly recordingsStore?: RecordingsStore;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** Each part uses its defaults when absent. */
  readonly limits?: ServerLimits;
}

export interface RecordingsStore {
  readonly url: string;
  readonly bucket: string;
  readonly key: string;
  readonly secret: string;
  readonly region: string;
}

export interface ConfigProblem {
  readonly variable: string;
  /** The variable, its value unless that is secret, and what is allowed. */
  readonly sentence: string;
}

/** The configuration with the value in force of each variable, or all mistakes. */
export type ConfigResult =
  | { readonly ok: true; readonly config: Config; readonly inForce: readonly ConfigLine[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** One variable with the value in force, `[hidden]` for a secret. */
export interface ConfigLine {
  readonly variable: string;
  readonly value: string;
  readonly from: 'environment' | 'default';
}

export interface ConfigSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `npm start` is dev, `jackfield start` is production: they differ in the default of JACKFIELD_SANDBOX. */
  readonly mode: 'dev' | 'production';
}

/** One order of precedence: the environment, then the file `.env` in `directory`, then the defaults. */
export function readEnvironment(directory = process.cwd(), env = process.env): ConfigSource['env'] {
  return { ...readEnvFile(join(directory, '.env')), ...env };
}

/** Whether npm or the launcher started this process: it then ends with its parent, which forwards no signal. */
export function endsWithParent(env: ConfigSource['env']): boolean {
  return env.npm_command !== undefined;
}

/** Reads and checks every variable; an empty one counts as not set. */
export function loadConfig({ env, mode }: ConfigSource): ConfigResult {
  const problems: ConfigProblem[] = unknownVariables(env);
  const inForce: ConfigLine[] = [];

  const read = <Value>(variable: ConfigVariable<Value>): Value | undefined => {
    const text = env[variable.name]?.trim() ?? '';
    if (text === '') return undefined;
    const value = variable.read(text);
    if (value === undefined) problems.push(wrongValue(variable, text));
    else if (variable.missing !== undefined) {
      problems.push({
        variable: variable.name,
        sentence: `${variable.name} is set, yet ${variable.missing}; unset it`,
      });
    } else inForce.push({ variable: variable.name, value: shown(variable, text), from: 'environment' });
    return value;
  };
  const orDefault = <Value>(
    variable: ConfigVariable<Value>,
    fallback: Value,
    text = String(fallback),
  ): Value => {
    const value = read(variable);
    if (value !== undefined) return value;
    inForce.push({ variable: variable.name, value: text, from: 'default' });
    return fallback;
  };
  const optional = <Value>(variable: ConfigVariable<Value>, otherwise: string): Value | undefined => {
    const value = read(variable);
    if (value === undefined) inForce.push({ variable: variable.name, value: otherwise, from: 'default' });
    return value;
  };

  const variables = configVariables;
  const sandbox = orDefault(variables.sandbox, mode === 'dev');
  const activity = orDefault(variables.activity, mode === 'dev');
  const host = sandbox ? '127.0.0.1' : '0.0.0.0';
  const http = { host: orDefault(variables.httpHost, host), port: orDefault(variables.httpPort, 8080) };
  const sip = {
    host: orDefault(variables.sipHost, host),
    port: orDefault(variables.sipPort, 5060),
    domains: orDefault(variables.sipDomains, ['sip.localhost']),
    // docs/decisions/: current phones fail on a challenge that offers more than MD5.
    digest: orDefault(variables.sipDigest, ['MD5' as const]),
    srtp: orDefault(variables.srtp, 'offer' as const),
  };
  const certFile = optional(variables.tlsCert, 'no TLS');
  const keyFile = optional(variables.tlsKey, 'no TLS');
  const authoritiesFile = optional(variables.tlsCa, 'public authorities');
  const isSecure = certFile !== undefined && keyFile !== undefined;
  const sipsPort = optional(variables.sipsPort, isSecure ? '5061' : 'no TLS') ?? 5061;
  const tls = isSecure
    ? {
        port: sipsPort,
        certFile: resolve(certFile),
        keyFile: resolve(keyFile),
        ...(authoritiesFile === undefined ? {} : { authoritiesFile: resolve(authoritiesFile) }),
      }
    : undefined;
  const publicAddress = orDefault(variables.publicAddress, detectPublicAddress(sip.host));
  const media = readMedia(orDefault);
  const dataDir = resolve(orDefault(variables.dataDir, './data'));
  const databaseUrl = optional(variables.databaseUrl, 'the embedded database');
  const authId = optional(variables.authId, 'generated once');
  const authToken = optional(variables.authToken, 'generated once');
  const secretKey = optional(variables.secretKey, `in ${join(dataDir, 'secret.key')}`);
  const egressAllow = optional(variables.egressAllow, sandbox ? 'private networks' : 'none');
  const publicUrl = orDefault(variables.publicUrl, defaultPublicUrl(http, publicAddress, isSecure));
  const signaturePrefixes = optional(variables.signaturePrefixes, 'X-Service-,X-Plivo-');
  const rates = optional(variables.rates, 'calls cost nothing');
  const carriers = optional(variables.carriers, 'no carriers');
  const sms = optional(variables.sms, sandbox ? 'the inbox of the sandbox' : 'no gateways');
  // On a server the time that container hosts wait before they kill; in development none.
  const drainSeconds = orDefault(variables.drainSeconds, mode === 'production' ? 30 : 0);
  const callbackDays = orDefault(variables.callbackDays, 7);
  const recordingDays = optional(variables.recordingDays, 'kept for ever');
  const callDays = optional(variables.callDays, 'kept for ever');
  const multipartyCallDays = optional(variables.multipartyCallDays, 'kept for ever');
  const verifyDays = optional(variables.verifyDays, 'kept for ever');
  const onDisk = `in ${join(dataDir, 'recordings')}`;
  const recordingsUrl = optional(variables.recordingsUrl, onDisk);
  const bucket = optional(variables.recordingsBucket, onDisk);
  const key = optional(variables.recordingsKey, onDisk);
  const secret = optional(variables.recordingsSecret, onDisk);
  const region = orDefault(variables.recordingsRegion, 'us-east-1');
  const isStored = recordingsUrl !== undefined && bucket !== undefined;
  const recordingsStore =
    isStored && key !== undefined && secret !== undefined
      ? { url: recordingsUrl, bucket, key, secret, region }
      : undefined;
  const docs = orDefault(variables.docs, sandbox);
  const metricsToken = optional(variables.metricsToken, sandbox ? 'open to everybody' : 'no metrics');
  const withoutToken = sandbox ? 'open' : 'off';
  const metricsAccess = metricsToken === undefined ? withoutToken : { token: metricsToken };
  const limits = readLimits(orDefault, sandbox);
  const logLevel = orDefault(variables.logLevel, 'info');
  for (const variable of Object.values<ConfigVariable<unknown>>(variables)) {
    if (variable.missing !== undefined) read(variable);
  }

  problems.push(...contradictions({ http, sip, tls, rtpPorts: media.rtpPorts }, env));
  if (problems.length > 0) return { ok: false, problems };
  const config: Config = {
    sandbox,
    activity,
    http,
    docs,
    metricsAccess,
    sip,
    publicAddress,
    ...media,
    dataDir,
    publicUrl,
    drainSeconds,
    callbackDays,
    logLevel,
    limits,
    ...(tls === undefined ? {} : { tls }),
    ...(signaturePrefixes === undefined ? {} : { signaturePrefixes }),
    ...(rates === undefined ? {} : { ratesFile: resolve(rates) }),
    ...(carriers === undefined ? {} : { carriersFile: resolve(carriers) }),
    ...(sms === undefined ? {} : { smsFile: resolve(sms) }),
    ...(recordingDays === undefined ? {} : { recordingDays }),
    ...(callDays === undefined ? {} : { callDays }),
    ...(multipartyCallDays === undefined ? {} : { multipartyCallDays }),
    ...(verifyDays === undefined ? {} : { verifyDays }),
    ...(recordingsStore === undefined ? {} : { recordingsStore }),
    ...(egressAllow === undefined ? {} : { egressAllow }),
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(authId === undefined || authToken === undefined ? {} : { account: { authId, authToken } }),
    ...(secretKey === undefined ? {} : { secretKey }),
  };
  return { ok: true, config, inForce };
}

/** The configuration in force, one line per variable, for the start of the server and for bug reports. */
export function describeConfig(inForce: readonly ConfigLine[]): string {
  const width = Math.max(...inForce.map(({ variable }) => variable.length));
  return inForce
    .map(({ variable, value, from }) => {
      return `${variable.padEnd(width)}  ${value}${from === 'default' ? '  (default)' : ''}`;
    })
    .join('\n');
}

/** A server bound to one address is reached there; a server bound to all, at the public address. */
function defaultPublicUrl({ host, port }: Config['http'], publicAddress: string, isSecure: boolean): string {
  const reached = host === '0.0.0.0' || host === '::' ? publicAddress : host;
  return `${isSecure ? 'https' : 'http'}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

function readEnvFile(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

function unknownVariables(env: ConfigSource['env']): ConfigProblem[] {
  const known: readonly string[] = Object.values(configVariables).map(({ name }) => name);
  return Object.keys(env)
    .filter((name) => /^JACKFIELD_/i.test(name) && !known.includes(name))
    .map((name) => ({
      variable: name,
      sentence: `${name} is no variable of this server; did you mean ${nearestName(name.toUpperCase(), known, Number.POSITIVE_INFINITY)}?`,
    }));
}

function wrongValue(variable: ConfigVariable<unknown>, text: string): ConfigProblem {
  const { name, allowed } = variable;
  return {
    variable: name,
    sentence: `${name} must be ${allowed}, not ${shown(variable, JSON.stringify(text))}`,
  };
}

function shown(variable: ConfigVariable<unknown>, text: string): string {
  return variable.secret ? '[hidden]' : text;
}

/** Mistakes that involve several variables. */
function contradictions(
  {
    http,
    sip,
    tls,
    rtpPorts,
  }: Pick<Config, 'http' | 'sip' | 'rtpPorts'> & { readonly tls: Config['tls'] | undefined },
  env: ConfigSource['env'],
): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const {
    httpPort,
    sipPort,
    sipsPort,
    tlsCert,
    tlsKey,
    tlsCa,
    rtpPorts: rtp,
    authId,
    authToken,
  } = configVariables;
  const { recordingsUrl, recordingsBucket, recordingsKey, recordingsSecret } = configVariables;
  const isSet = ({ name }: { readonly name: string }): boolean => (env[name]?.trim() ?? '') !== '';
  if (http.port === sip.port && http.port !== 0) {
    const sentence = `${sipPort.name} must be another port than ${httpPort.name}, not ${sip.port}: both take TCP`;
    problems.push({ variable: sipPort.name, sentence });
  }
  if (sip.port >= rtpPorts.first && sip.port <= rtpPorts.last) {
    const sentence = `${rtp.name} must leave out the SIP port ${sip.port}, not be ${rtpPorts.first}-${rtpPorts.last}`;
    problems.push({ variable: rtp.name, sentence });
  }
  for (const [port, variable] of [
    [http.port, httpPort],
    [sip.port, sipPort],
  ] as const) {
    if (tls === undefined || tls.port === 0 || tls.port !== port) continue;
    const sentence = `${sipsPort.name} must be another port than ${variable.name}, not ${port}: both take TCP`;
    problems.push({ variable: sipsPort.name, sentence });
  }
  for (const pair of [
    [authId, authToken],
    [tlsCert, tlsKey],
    [recordingsUrl, recordingsBucket, recordingsKey, recordingsSecret],
  ] as const) {
    const given = pair.find(isSet);
    const lacking = pair.find((variable) => !isSet(variable));
    if (given === undefined || lacking === undefined) continue;
    const sentence = `${lacking.name} must be set together with ${given.name}`;
    problems.push({ variable: lacking.name, sentence });
  }
  for (const { name } of [sipsPort, tlsCa].filter(isSet)) {
    if (isSet(tlsCert) || isSet(tlsKey)) continue;
    const sentence = `${name} needs ${tlsCert.name} and ${tlsKey.name}: there is no TLS without a certificate`;
    problems.push({ variable: name, sentence });
  }
  return problems;
}
