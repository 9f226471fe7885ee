import { parseSecretKey } from '@jackfield/adapters/secrets';
import { addressVariables } from './address-variables.ts';
import {
  asAddress,
  asBoolean,
  asCidr,
  asCount,
  asCountFromZero,
  asHost,
  asHostName,
  asList,
  asOneOf,
  asOrigin,
  asPath,
  asPattern,
  asPort,
  asUrl,
} from './config-values.ts';
import { identityVariables } from './identity-variables.ts';
import { limitVariables } from './limit-variables.ts';
import { mediaVariables } from './media-variables.ts';
import { asNatsUrls } from './nats-urls.ts';
import { asSpeechEngine, shownSpeechEngine } from './speech-engine.ts';
import { tlsVariables } from './tls-variables.ts';
import { tracingVariables } from './tracing/tracing-variables.ts';

/** One environment variable: its name, its allowed values and its reader. */
export interface ConfigVariable<Value> {
  readonly name: `JACKFIELD_${string}`;
  /** Completes "must be …". */
  readonly allowed: string;
  readonly read: (text: string) => Value | undefined;
  /** Never printed, even when it is invalid. */
  readonly secret?: true;
  /** What is printed of a value, valid or not, that may have a secret in it. */
  readonly shown?: (text: string) => string;
}

const port = 'a port from 0 (any free one) to 65535';
const host = 'an IP address or a host name';
const days = 'a number of days from 1 to 3650';

/** Every variable of the server; docs/operate/configuration.md has a row for each. */
export const configVariables = {
  sandbox: { name: 'JACKFIELD_SANDBOX', allowed: 'true or false', read: asBoolean },
  sandboxSpeech: {
    name: 'JACKFIELD_SANDBOX_SPEECH',
    allowed: 'voices or tones',
    read: asOneOf('voices', 'tones'),
  },
  keepSignalling: { name: 'JACKFIELD_KEEP_SIGNALLING', allowed: 'true or false', read: asBoolean },
  activity: { name: 'JACKFIELD_ACTIVITY', allowed: 'true or false', read: asBoolean },
  httpHost: { name: 'JACKFIELD_HTTP_HOST', allowed: host, read: asHost },
  httpPort: { name: 'JACKFIELD_HTTP_PORT', allowed: port, read: asPort },
  operatorHost: { name: 'JACKFIELD_OPERATOR_HOST', allowed: host, read: asHost },
  operatorPort: { name: 'JACKFIELD_OPERATOR_PORT', allowed: port, read: asPort },
  sipHost: { name: 'JACKFIELD_SIP_HOST', allowed: host, read: asHost },
  sipPort: { name: 'JACKFIELD_SIP_PORT', allowed: port, read: asPort },
  ...tlsVariables,
  sipDomains: {
    name: 'JACKFIELD_SIP_DOMAINS',
    allowed: 'host names or IP addresses, separated by commas',
    read: asList((text: string) => asHostName(text) ?? asAddress(text)),
  },
  sipDigest: {
    name: 'JACKFIELD_SIP_DIGEST',
    allowed: 'MD5 and SHA-256, one or both, separated by a comma, in the order of preference',
    read: asList(asOneOf('MD5', 'SHA-256')),
  },
  srtp: {
    name: 'JACKFIELD_SRTP',
    allowed: 'off, offer or require',
    read: asOneOf('off', 'offer', 'require'),
  },
  ...addressVariables,
  ...mediaVariables,
  dataDir: { name: 'JACKFIELD_DATA_DIR', allowed: 'the path of a directory', read: asPath },
  databaseUrl: {
    name: 'JACKFIELD_DATABASE_URL',
    allowed: 'a URL such as postgres://user:password@host:5432/database',
    read: asUrl('postgres:', 'postgresql:'),
    secret: true,
  },
  natsUrl: {
    name: 'JACKFIELD_NATS_URL',
    allowed: 'one or more URLs such as nats://user:password@host:4222, of one scheme, separated by commas',
    read: asNatsUrls,
    secret: true,
  },
  natsCredentials: { name: 'JACKFIELD_NATS_CREDS', allowed: 'the path of a credentials file', read: asPath },
  natsCa: { name: 'JACKFIELD_NATS_CA', allowed: 'the path of a PEM file', read: asPath },
  node: {
    name: 'JACKFIELD_NODE',
    allowed: '1 to 63 letters, digits, dots and hyphens',
    read: asPattern(/^[A-Za-z0-9][A-Za-z0-9.-]{0,62}$/),
  },
  nodeAddress: { name: 'JACKFIELD_NODE_ADDRESS', allowed: 'an IPv4 or IPv6 address', read: asAddress },
  authId: {
    name: 'JACKFIELD_AUTH_ID',
    allowed: 'MA and 18 capital letters or digits',
    read: asPattern(/^MA[A-Z0-9]{18}$/),
  },
  authToken: {
    name: 'JACKFIELD_AUTH_TOKEN',
    allowed: '16 to 128 visible ASCII characters',
    read: asPattern(/^[!-~]{16,128}$/),
    secret: true,
  },
  secretKey: {
    name: 'JACKFIELD_SECRET_KEY',
    allowed: '32 bytes in hex or base64 (openssl rand -hex 32)',
    read: parseSecretKey,
    secret: true,
  },
  egressAllow: {
    name: 'JACKFIELD_EGRESS_ALLOW',
    allowed: 'networks such as 10.0.0.0/8, separated by commas',
    read: asList(asCidr),
  },
  publicUrl: {
    name: 'JACKFIELD_PUBLIC_URL',
    allowed: 'a URL such as https://calls.example.com, without a path',
    read: asOrigin,
  },
  signaturePrefixes: {
    name: 'JACKFIELD_SIGNATURE_PREFIXES',
    allowed: 'beginnings of header names such as X-Service-, separated by commas',
    read: asList(asPattern(/^[A-Za-z][A-Za-z0-9-]{0,39}-$/)),
  },
  voices: { name: 'JACKFIELD_VOICES', allowed: 'the path of a JSON file', read: asPath },
  speechEngine: {
    name: 'JACKFIELD_SPEECH_ENGINE',
    allowed:
      'a URL that starts with https://, http://, wss:// or ws:// and has no user, or command: and a program with its arguments',
    read: asSpeechEngine,
    shown: shownSpeechEngine,
  },
  speechEngineKey: {
    name: 'JACKFIELD_SPEECH_ENGINE_KEY',
    allowed: '1 to 500 visible ASCII characters',
    read: asPattern(/^[!-~]{1,500}$/),
    secret: true,
  },
  speechEngineLanguages: {
    name: 'JACKFIELD_SPEECH_ENGINE_LANGUAGES',
    allowed: 'language tags such as en or pt-BR, separated by commas',
    read: asList(asPattern(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/)),
  },
  rates: { name: 'JACKFIELD_RATES', allowed: 'the path of a JSON file', read: asPath },
  drainSeconds: {
    name: 'JACKFIELD_DRAIN_SECONDS',
    allowed: 'a number of seconds from 0 to 86400',
    read: asCountFromZero(86_400),
  },
  callbackDays: { name: 'JACKFIELD_CALLBACK_DAYS', allowed: days, read: asCount(3650) },
  keptEvents: {
    name: 'JACKFIELD_KEPT_EVENTS',
    allowed: 'a number from 1 to 1000000000',
    read: asCount(1_000_000_000),
  },
  recordingDays: { name: 'JACKFIELD_RECORDING_DAYS', allowed: days, read: asCount(3650) },
  callDays: { name: 'JACKFIELD_CALL_DAYS', allowed: days, read: asCount(3650) },
  multipartyCallDays: { name: 'JACKFIELD_MULTIPARTY_CALL_DAYS', allowed: days, read: asCount(3650) },
  verifyDays: { name: 'JACKFIELD_VERIFY_DAYS', allowed: days, read: asCount(3650) },
  recordingsUrl: {
    name: 'JACKFIELD_RECORDINGS_S3_URL',
    allowed: 'a URL such as https://s3.eu-central-1.amazonaws.com, without the name of the bucket',
    read: asUrl('http:', 'https:'),
  },
  recordingsBucket: {
    name: 'JACKFIELD_RECORDINGS_S3_BUCKET',
    allowed: '3 to 63 small letters, digits, dots and hyphens',
    read: asPattern(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
  },
  recordingsKey: {
    name: 'JACKFIELD_RECORDINGS_S3_KEY',
    allowed: '1 to 128 visible ASCII characters',
    read: asPattern(/^[!-~]{1,128}$/),
  },
  recordingsSecret: {
    name: 'JACKFIELD_RECORDINGS_S3_SECRET',
    allowed: '1 to 256 visible ASCII characters',
    read: asPattern(/^[!-~]{1,256}$/),
    secret: true,
  },
  recordingsRegion: {
    name: 'JACKFIELD_RECORDINGS_S3_REGION',
    allowed: 'the name of a region such as eu-central-1',
    read: asPattern(/^[a-z0-9-]{1,40}$/),
  },
  carriers: {
    name: 'JACKFIELD_CARRIERS',
    allowed: 'the path of a JSON file',
    read: asPath,
  },
  sms: {
    name: 'JACKFIELD_SMS',
    allowed: 'the path of a JSON file',
    read: asPath,
  },
  docs: { name: 'JACKFIELD_DOCS', allowed: 'true or false', read: asBoolean },
  metricsToken: {
    name: 'JACKFIELD_METRICS_TOKEN',
    allowed: '16 to 128 visible ASCII characters',
    read: asPattern(/^[!-~]{16,128}$/),
    secret: true,
  },
  ...tracingVariables,
  ...identityVariables,
  ...limitVariables,
  logLevel: {
    name: 'JACKFIELD_LOG_LEVEL',
    allowed: 'debug, info, warn or error',
    read: asOneOf('debug', 'info', 'warn', 'error'),
  },
} as const satisfies Readonly<Record<string, ConfigVariable<unknown>>>;
