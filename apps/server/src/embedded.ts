import type { AddressInfo } from 'node:net';
import { createSystemClock } from '@jackfield/adapters/clock';
import { createPostgresDatabase } from '@jackfield/adapters/database-postgres';
import { createSqliteDatabase } from '@jackfield/adapters/database-sqlite';
import { createMediaWorker, type MediaWorker } from '@jackfield/adapters/media-worker';
import { createMetrics } from '@jackfield/adapters/metrics';
import { createSecrets, openSecretKey } from '@jackfield/adapters/secrets';
import { createDigestAdmission, createSipEdge, type SipEdge } from '@jackfield/adapters/sip-edge';
import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import {
  createPlatform,
  type HttpLimits,
  type Logger,
  type Metrics,
  type NumberRoutes,
  type Platform,
} from '@jackfield/platform';
import { createTransports } from '@jackfield/sip/transport';
import type { Config } from './config.ts';
import { createSandbox } from './sandbox.ts';

export interface EmbeddedOptions {
  readonly config: Config;
  readonly log: Logger;
  /** The media thread has died: every call is lost, and the process should start again. */
  readonly onFatal: (error: Error) => void;
  readonly httpLimits?: Partial<HttpLimits>;
}

/** The whole platform in this process. */
export interface Embedded {
  readonly platform: Platform;
  readonly http: { readonly host: string; readonly port: number };
  readonly sip: { readonly host: string; readonly port: number };
  /** New calls are refused and `/readyz` says so; resolves when the last live call has ended or the limit is over. */
  drain(limitMs: number): Promise<void>;
  census(): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

const noNumbers: NumberRoutes = { targetsFor: () => undefined };

/** Starts every part in the order in which they lean on each other; what was started is closed when a later part fails. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { config, log } = options;
  const started: (() => Promise<void> | void)[] = [];
  const closeAll = async () => {
    for (const close of started.splice(0).reverse()) await close();
  };
  try {
    return await start(options, started, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  } finally {
    log.debug({ dataDir: config.dataDir }, 'The start is over.');
  }
}

async function start(
  { config, log, onFatal, httpLimits }: EmbeddedOptions,
  started: (() => Promise<void> | void)[],
  closeAll: () => Promise<void>,
): Promise<Embedded> {
  const clock = createSystemClock();
  const metrics = createMetrics();
  const secrets = createSecrets(config.secretKey ?? openSecretKey(config.dataDir));
  const database =
    config.databaseUrl === undefined
      ? createSqliteDatabase({ directory: config.dataDir, log })
      : createPostgresDatabase({ url: config.databaseUrl, log });
  started.push(() => database.close());

  const media = await createMediaWorker({ host: config.sip.host, ports: config.rtpPorts, onDeath: onFatal });
  started.push(() => media.closeAll());
  const shared = { clock, secrets, log, media, mediaLegs: media };

  const speech = createEspeakSpeech();
  started.push(() => speech.close());
  const sandbox = config.sandbox ? createSandbox({ ...shared, speech }) : undefined;

  const domains = nonEmpty(config.sip.domains);
  let edge: SipEdge | undefined;
  const platform = await createPlatform({
    ...shared,
    database,
    metrics,
    domains,
    numbers: sandbox?.numbers ?? noNumbers,
    createTelephony(registrations) {
      edge = createSipEdge({
        ...shared,
        openTransports: (listener) => createTransports({ ...config.sip, ...listener }),
        admission: createDigestAdmission({
          ...shared,
          registrations,
          realm: domains[0],
          algorithms: config.sip.digest,
        }),
        registrations,
        domains,
        publicAddress: config.publicAddress,
        userAgentName: 'Jackfield',
      });
      return edge.telephony;
    },
    ...(config.account === undefined ? {} : { firstAccount: config.account }),
    ...(httpLimits === undefined ? {} : { httpLimits }),
  });
  const signalling = edge;
  if (signalling === undefined) throw new Error('The platform was created without its telephony');
  started.push(() => signalling.close());
  started.push(() => platform.close());
  if (sandbox !== undefined) {
    await sandbox.open(platform.runner);
    started.push(() => sandbox.close());
  }
  await publishGauges(metrics, platform, signalling, media);

  await platform.http.listen(config.http);
  const [httpAddress] = platform.http.addresses() as readonly AddressInfo[];
  if (httpAddress === undefined) throw new Error('The HTTP server has no address');

  return {
    platform,
    http: { host: httpAddress.address, port: httpAddress.port },
    sip: signalling.address(),
    async drain(limitMs) {
      platform.drain();
      signalling.drain();
      await callsOver(signalling, clock, limitMs);
      signalling.hangUpAll();
      await platform.runner.idle();
    },
    async census() {
      return {
        sessions: platform.runner.census(),
        sip: signalling.census(),
        sandbox: sandbox?.census(),
        media: await media.census(),
      };
    },
    close: closeAll,
  };
}

/** Live legs are looked at once a second; a drain lasts minutes, and nothing waits for its last second. */
function callsOver(edge: SipEdge, clock: ReturnType<typeof createSystemClock>, limitMs: number) {
  const end = clock.now() + limitMs;
  return new Promise<void>((resolve) => {
    const look = () => {
      if (edge.census().legs === 0 || clock.now() >= end) resolve();
      else clock.startTimer(Math.min(clock.now() + 1000, end), look);
    };
    look();
  });
}

async function publishGauges(metrics: Metrics, platform: Platform, edge: SipEdge, media: MediaWorker) {
  metrics.gauge('jackfield_sip_legs', 'SIP legs that have not ended.', () => edge.census().legs);
  metrics.gauge(
    'jackfield_sip_transactions',
    'SIP transactions that are alive.',
    () => edge.census().transactions,
  );
  metrics.gauge('jackfield_sip_connections', 'Open SIP connections.', () => edge.census().connections);
  for (const name of Object.keys(edge.counters())) {
    metrics.gauge(
      `jackfield_sip_${snakeCase(name)}`,
      'Count of the SIP stack since the start.',
      () => edge.counters()[name] ?? 0,
    );
  }
  for (const kind of Object.keys(platform.runner.census())) {
    metrics.gauge(
      `jackfield_sessions_${snakeCase(kind)}`,
      'Live sessions of this kind.',
      () => platform.runner.census()[kind]?.sessions ?? 0,
    );
  }
  await media.stats();
}

function snakeCase(name: string): string {
  return name.replaceAll('-', '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function nonEmpty(domains: readonly string[]): readonly [string, ...string[]] {
  const [first, ...rest] = domains.map((domain) => domain.toLowerCase());
  if (first === undefined) throw new Error('JACKFIELD_SIP_DOMAINS names no domain');
  return [first, ...rest];
}
