import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { nearestName } from '@jackfield/platform';
import { isLoopback } from '@jackfield/ports';
import { type AddressConfig, addressContradictions, readAddresses } from './address-config.ts';
import { contradictions } from './config-contradictions.ts';
import {
  type ConfigLine,
  type ConfigProblem,
  type ConfigReader,
  createConfigReader,
  type Environment,
} from './config-reader.ts';
import { configVariables } from './config-variables.ts';
import { type IdentityConfig, identityContradictions, readIdentity } from './identity-config.ts';
import { withoutKubernetesLinks } from './kubernetes-links.ts';
import { readLimits, type ServerLimits } from './limit-variables.ts';
import { type MediaConfig, readMedia } from './media-variables.ts';
import type { NatsUrls } from './nats-urls.ts';
import type { SpeechEngineConfig } from './speech-engine.ts';
import { readTls, type TlsConfig, tlsContradictions } from './tls-config.ts';
import { readTracing, type TracingConfig, tracingContradictions } from './tracing/tracing-config.ts';

/** All settings of an operator, validated. */
export interface Config extends MediaConfig, AddressConfig {
  readonly sandbox: boolean;
  /** Whether `npm start` prints a line for each call, document, callback and stream. */
  readonly activity: boolean;
  /** SIP messages and documents of calls are kept, for people who look for the reason of an end. */
  readonly keepSignalling: boolean;
  readonly http: { readonly host: string; readonly port: number };
  /** The listener of `/healthz`, `/readyz`, `/metrics` and `/docs`; they are on the HTTP port when absent. */
  readonly operator?: { readonly host: string; readonly port: number };
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
  /** SIP over TLS, and HTTPS; neither when absent. */
  readonly tls?: TlsConfig;
  /** An absolute path. */
  readonly dataDir: string;
  /** PostgreSQL; the embedded database when absent. */
  readonly databaseUrl?: string;
  /** This process is one node of several that share the database; it owns the database alone when absent. */
  readonly cluster?: ClusterConfig;
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
  /** An absolute path; when absent, the embedded engine speaks every text. */
  readonly voicesFile?: string;
  /** What recognises speech; nothing when absent. */
  readonly speechEngine?: SpeechEngineConfig;
  /** Every text is spoken and recognised as tones, for phones of tests. */
  readonly speaksTones?: boolean;
  /** How long live calls may continue after the first signal. */
  readonly drainSeconds: number;
  /** How long the log of callbacks is kept. */
  readonly callbackDays: number;
  /** How many events the event stream keeps. */
  readonly keptEvents: number;
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
  /** People log in to the console with tokens and links alone when absent. */
  readonly identity?: IdentityConfig;
  /** Calls are not traced when absent. */
  readonly tracing?: TracingConfig;
}

export interface ClusterConfig {
  /** The name of this machine among the nodes. */
  readonly node: string;
  /** At which the other nodes reach the audio of this one; the public address when absent. */
  readonly address?: string;
  readonly nats: NatsUrls;
  /** An absolute path of JWT and seed. */
  readonly credentialsFile?: string;
  /** Authorities of the certificates of NATS, besides the public ones, by an absolute path. */
  readonly authoritiesFile?: string;
}

export interface RecordingsStore {
  readonly url: string;
  readonly bucket: string;
  readonly key: string;
  readonly secret: string;
  readonly region: string;
}

/** The configuration with the value in force of each variable, or all mistakes. */
export type ConfigResult =
  | { readonly ok: true; readonly config: Config; readonly inForce: readonly ConfigLine[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

export interface ConfigSource {
  readonly env: Environment;
  /** `npm start` is dev, `jackfield start` is production: they differ in the default of JACKFIELD_SANDBOX. */
  readonly mode: 'dev' | 'production';
}

/** Whether npm or the launcher started this process: it then ends with its parent, which forwards no signal. */
export function endsWithParent(env: ConfigSource['env']): boolean {
  return env.npm_command !== undefined;
}

/** Reads and checks every variable; an empty one counts as not set. */
export function loadConfig({ env: given, mode }: ConfigSource): ConfigResult {
  const env = withoutKubernetesLinks(given);
  const reader = createConfigReader(env);
  const sandbox = reader.orDefault(configVariables.sandbox, mode === 'dev');
  const activity = reader.orDefault(configVariables.activity, mode === 'dev');
  const keepSignalling = reader.orDefault(configVariables.keepSignalling, sandbox);
  const storage = readStorage(reader);
  const network = readNetwork(reader, sandbox, storage.dataDir);
  const config: Config = {
    sandbox,
    activity,
    keepSignalling,
    ...network,
    ...storage,
    ...readCustomers(reader, network, sandbox),
    ...readSpeechEngine(reader),
    speaksTones: reader.orDefault(configVariables.sandboxSpeech, 'voices' as const) === 'tones',
    ...readRetention(reader, mode),
    ...readRecordingsStore(reader, storage.dataDir),
    ...readOperation(reader, sandbox, network),
    ...present({ identity: readIdentity(reader), tracing: readTracing(reader) }),
  };
  const problems = [
    ...unknownVariables(env),
    ...reader.problems,
    ...contradictions(config, reader),
    ...tlsContradictions(config, reader),
    ...addressContradictions(config),
    ...tracingContradictions(reader),
    ...identityContradictions(config, reader),
  ];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config, inForce: reader.inForce };
}

type Present<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> };

/** Without the members that are undefined. */
function present<Values extends object>(values: Values): Present<Values> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Present<Values>;
}

function absolute(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path);
}

function readNetwork(reader: ConfigReader, sandbox: boolean, dataDir: string) {
  const { orDefault } = reader;
  const variables = configVariables;
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
  return {
    http,
    ...present({ operator: readOperator(reader) }),
    sip,
    ...present({ tls: readTls(reader, dataDir) }),
    ...readAddresses(reader, sip.host),
    ...readMedia(orDefault),
  };
}

/** Loopback by default: what it serves needs no account. */
function readOperator({ orDefault, optional }: ConfigReader): Config['operator'] {
  const port = optional(configVariables.operatorPort, 'on the HTTP port');
  if (port === undefined) {
    optional(configVariables.operatorHost, 'on the HTTP port');
    return undefined;
  }
  return { host: orDefault(configVariables.operatorHost, '127.0.0.1'), port };
}

function readStorage({ orDefault, optional }: ConfigReader) {
  const variables = configVariables;
  const dataDir = resolve(orDefault(variables.dataDir, './data'));
  const databaseUrl = optional(variables.databaseUrl, 'the embedded database');
  const authId = optional(variables.authId, 'generated once');
  const authToken = optional(variables.authToken, 'generated once');
  const secretKey = optional(variables.secretKey, `in ${join(dataDir, 'secret.key')}`);
  const account = authId === undefined || authToken === undefined ? undefined : { authId, authToken };
  const cluster = readCluster(optional);
  return { dataDir, ...present({ databaseUrl, cluster, account, secretKey }) };
}

function readCluster(optional: ConfigReader['optional']): ClusterConfig | undefined {
  const variables = configVariables;
  const nats = optional(variables.natsUrl, 'one process owns the database');
  const credentialsFile = absolute(optional(variables.natsCredentials, 'those of JACKFIELD_NATS_URL'));
  const authoritiesFile = absolute(optional(variables.natsCa, 'public authorities'));
  const node = optional(variables.node, hostname()) ?? hostname();
  const address = optional(variables.nodeAddress, 'the public address');
  return nats === undefined
    ? undefined
    : { node, nats, ...present({ address, credentialsFile, authoritiesFile }) };
}

/** URLs of customers, and the files with the operator's rates, carriers and gateways. */
function readCustomers(
  { orDefault, optional }: ConfigReader,
  { http, tls, publicAddress }: Pick<Config, 'http' | 'tls' | 'publicAddress'>,
  sandbox: boolean,
) {
  const variables = configVariables;
  const egressAllow = optional(variables.egressAllow, sandbox ? 'private networks' : 'none');
  const publicUrl = orDefault(
    variables.publicUrl,
    defaultPublicUrl(http, publicAddress, tls?.isHttps === true),
  );
  const signaturePrefixes = optional(variables.signaturePrefixes, 'X-Service-,X-Plivo-');
  const ratesFile = absolute(optional(variables.rates, 'calls cost nothing'));
  const carriersFile = absolute(optional(variables.carriers, 'no carriers'));
  const smsFile = absolute(optional(variables.sms, sandbox ? 'the inbox of the sandbox' : 'no gateways'));
  const voicesFile = absolute(optional(variables.voices, 'the embedded engine speaks'));
  const files = { ratesFile, carriersFile, smsFile, voicesFile };
  return { publicUrl, ...present({ egressAllow, signaturePrefixes, ...files }) };
}

function readSpeechEngine({ optional }: ConfigReader): Pick<Config, 'speechEngine'> {
  const variables = configVariables;
  const engine = optional(variables.speechEngine, 'speech is not recognised');
  const key = optional(variables.speechEngineKey, 'none');
  const languages = optional(variables.speechEngineLanguages, 'those of the engine');
  return engine === undefined ? {} : { speechEngine: { ...engine, ...present({ key, languages }) } };
}

function readRetention({ orDefault, optional }: ConfigReader, mode: ConfigSource['mode']) {
  const variables = configVariables;
  // On a server the time that container hosts wait before they kill; in development none.
  const drainSeconds = orDefault(variables.drainSeconds, mode === 'production' ? 30 : 0);
  const callbackDays = orDefault(variables.callbackDays, 7);
  const keptEvents = orDefault(variables.keptEvents, 1_000_000);
  const recordingDays = optional(variables.recordingDays, 'kept for ever');
  const callDays = optional(variables.callDays, 'kept for ever');
  const multipartyCallDays = optional(variables.multipartyCallDays, 'kept for ever');
  const verifyDays = optional(variables.verifyDays, 'kept for ever');
  const days = present({ recordingDays, callDays, multipartyCallDays, verifyDays });
  return { drainSeconds, callbackDays, keptEvents, ...days };
}

function readRecordingsStore(
  { orDefault, optional }: ConfigReader,
  dataDir: string,
): Pick<Config, 'recordingsStore'> {
  const variables = configVariables;
  const onDisk = `in ${join(dataDir, 'recordings')}`;
  const url = optional(variables.recordingsUrl, onDisk);
  const bucket = optional(variables.recordingsBucket, onDisk);
  const key = optional(variables.recordingsKey, onDisk);
  const secret = optional(variables.recordingsSecret, onDisk);
  const region = orDefault(variables.recordingsRegion, 'us-east-1');
  if (url === undefined || bucket === undefined || key === undefined || secret === undefined) return {};
  return { recordingsStore: { url, bucket, key, secret, region } };
}

function readOperation(
  { orDefault, optional }: ConfigReader,
  sandbox: boolean,
  { operator }: Pick<Config, 'operator'>,
) {
  const variables = configVariables;
  // A listener that other machines reach keeps the rules of the public port.
  const isOpen = sandbox || (operator !== undefined && isLoopback(operator.host));
  const docs = orDefault(variables.docs, isOpen);
  const token = optional(variables.metricsToken, isOpen ? 'open without a token' : 'no metrics');
  const withoutToken = isOpen ? ('open' as const) : ('off' as const);
  const metricsAccess = token === undefined ? withoutToken : { token };
  const limits = readLimits(orDefault, sandbox);
  return { docs, metricsAccess, limits, logLevel: orDefault(variables.logLevel, 'info') };
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

function unknownVariables(env: ConfigSource['env']): ConfigProblem[] {
  const known: readonly string[] = Object.values(configVariables).map(({ name }) => name);
  return Object.keys(env)
    .filter((name) => /^JACKFIELD_/i.test(name) && !known.includes(name))
    .map((name) => ({
      variable: name,
      sentence: `${name} is no variable of this server; did you mean ${nearestName(name.toUpperCase(), known, Number.POSITIVE_INFINITY)}?`,
    }));
}
