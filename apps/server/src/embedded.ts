import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Server as TlsServer } from 'node:tls';
import { createSystemClock } from '@jackfield/adapters/clock';
import { createAddressGuard, createAudioGuard, createHttpEgress } from '@jackfield/adapters/egress-http';
import { createMediaWorker, type ThreadPriority } from '@jackfield/adapters/media-worker';
import { createMetrics } from '@jackfield/adapters/metrics';
import { createRecorder } from '@jackfield/adapters/recorder';
import { createSoundDecoder } from '@jackfield/adapters/sound-decoder';
import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import {
  createPlatform,
  createStartPhase,
  type HttpLimits,
  type Platform,
  type PlatformDeps,
  upgradeAnswer,
} from '@jackfield/platform';
import type { Clock, Logger, NumberRoutes } from '@jackfield/ports';
import { createSignalling, type SipEdge } from '@jackfield/signalling';
import {
  createTransports,
  type SocketTransports,
  type TransportListener,
  type UpgradeRefusal,
} from '@jackfield/sip/transport';
import { lineOfEvent, withActivity } from './activity.ts';
import { readCarriersFile } from './carriers-file.ts';
import { readAuthorities, readCertificate, watchCertificate } from './certificate-files.ts';
import type { Config } from './config.ts';
import { countMediaLegs } from './counted-media-legs.ts';
import { describedMetrics } from './described-metrics.ts';
import { createLocate } from './locate-names.ts';
import { type OpenGateways, openMessageGateways } from './message-gateways.ts';
import { openStorage } from './open-storage.ts';
import { ownAddresses } from './public-sip.ts';
import { publishMetrics } from './publish-metrics.ts';
import { readRates } from './rates-file.ts';
import { openRecordingFiles } from './recording-files.ts';
import { createSandbox } from './sandbox.ts';
import { createVoicemail } from './sandbox-voicemail.ts';
import { explainData, explainDirectory, explained, explainListening } from './start-failure.ts';

export interface EmbeddedOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Receives one readable line for each event; nothing is shown when absent. */
  readonly show?: (line: string) => void;
  /** The media thread died, or another process took the database: the process has to end. */
  readonly onFatal: (error: Error) => void;
  readonly httpLimits?: Partial<HttpLimits>;
}

/** The whole platform in this process. */
export interface Embedded {
  readonly platform: Platform;
  readonly http: { readonly host: string; readonly port: number };
  readonly sip: { readonly host: string; readonly port: number };
  /** SIP over TLS, when a certificate is configured. */
  readonly sips?: { readonly host: string; readonly port: number };
  /** Reads the certificate's files again. */
  reloadCertificate(): void;
  /** Refuses new calls and makes `/readyz` report the drain; resolves when the last live call has ended or the limit has passed. */
  drain(limitMs: number): Promise<void>;
  census(): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

const sipVariables = { host: 'JACKFIELD_SIP_HOST', port: 'JACKFIELD_SIP_PORT' };
const sipsVariables = { host: 'JACKFIELD_SIP_HOST', port: 'JACKFIELD_SIPS_PORT' };
const httpVariables = { host: 'JACKFIELD_HTTP_HOST', port: 'JACKFIELD_HTTP_PORT' };

/** How long a drain waits, after hanging up all calls, for legs that had not been signalled yet. */
const lastLegsMs = 2_000;

const dayMs = 86_400_000;

/** For ever where the operator sets no limit. */
function keptFor<Name extends string>(name: Name, days: number | undefined): { [key in Name]?: number } {
  return days === undefined ? {} : ({ [name]: days * dayMs } as { [key in Name]: number });
}

const noNumbers: NumberRoutes = { targetsFor: () => undefined };

/** Starts every part in the order of dependency; the started parts are closed when a later one fails. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const started: Close[] = [];
  const closeAll = async () => {
    for (const close of started.splice(0).reverse()) await close();
  };
  try {
    return await start(options, (close) => started.push(close), closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

type Close = () => Promise<void> | void;

async function start(
  { config, log: quietLog, onFatal, httpLimits, show }: EmbeddedOptions,
  atEnd: (close: Close) => void,
  closeAll: () => Promise<void>,
): Promise<Embedded> {
  const log = show === undefined ? quietLog : withActivity(quietLog, show);
  const rates = config.ratesFile === undefined ? undefined : readRates(config.ratesFile);
  const operated =
    config.carriersFile === undefined
      ? { carriers: [], accounts: [] }
      : readCarriersFile(config.carriersFile, rates !== undefined);
  const certificate = config.tls === undefined ? undefined : readCertificate(config.tls);
  const authorities =
    config.tls?.authoritiesFile === undefined ? [] : readAuthorities(config.tls.authoritiesFile);
  const clock = createSystemClock({
    onStep: (offsetMs) => log.warn({ offsetMs }, 'The wall clock was stepped.'),
  });
  const metrics = createMetrics({ described: describedMetrics });
  const phase = createStartPhase({ clock, log });
  const { secrets, database } = await phase('database', () => openStorage(config, log, onFatal));
  atEnd(() => database.close());

  const media = await phase('media', () =>
    createMediaWorker({ ...mediaOptionsOf(config, log), onDeath: onFatal }),
  );
  atEnd(() => media.closeAll());
  const counted = countMediaLegs(media);
  const directory = join(config.dataDir, 'recordings');
  const recorder = await explained(explainDirectory(config.dataDir), () =>
    createRecorder({ directory, media }),
  );
  atEnd(() => recorder.close());
  const recordings = openRecordingFiles(directory, config.recordingsStore, log);
  atEnd(() => recordings.close());
  const decoder = createSoundDecoder();
  atEnd(() => decoder.close());
  const speech = createEspeakSpeech();
  atEnd(() => speech.close());
  const shared = { clock, secrets, log, media, mediaLegs: counted.legs, clips: media, speech };

  const rules = { allow: config.egressAllow ?? [], privateToo: config.sandbox };
  const egress = createHttpEgress(rules);
  atEnd(() => egress.close());

  const gateways =
    config.smsFile === undefined ? undefined : openMessageGateways(config.smsFile, { clock, log });
  atEnd(() => gateways?.close());

  const sandbox = config.sandbox ? createSandbox({ ...shared, mediaHost: config.sip.host }) : undefined;

  const domains = nonEmpty(config.sip.domains);
  let sockets: SocketTransports | undefined;
  const openTransports = async (listener: TransportListener): Promise<SocketTransports> => {
    const tls = config.tls && certificate && { port: config.tls.port, certificate, authorities };
    const options = {
      ...config.sip,
      ...listener,
      ...transportLimits(config),
      ...(tls === undefined ? {} : { tls }),
    };
    sockets = await explained(explainSip(config), () => createTransports(options));
    return sockets;
  };
  const created = createPlatform({
    ...shared,
    database,
    metrics,
    decoder,
    recorder,
    recordingFiles: recordings.files,
    domains,
    addresses: ownAddresses(config),
    publicUrl: config.publicUrl,
    keepCallbacksMs: config.callbackDays * dayMs,
    ...(rates === undefined ? {} : { rates }),
    ...(config.signaturePrefixes === undefined ? {} : { signaturePrefixes: config.signaturePrefixes }),
    ...keptFor('keepRecordingsMs', config.recordingDays),
    ...keptFor('keepCallsMs', config.callDays),
    ...keptFor('keepMultipartyCallsMs', config.multipartyCallDays),
    ...keptFor('keepVerifySessionsMs', config.verifyDays),
    numbers: sandbox?.numbers ?? noNumbers,
    ...smsOf(gateways, config),
    ...(sandbox === undefined ? {} : { sandboxNetwork: sandbox.network }),
    carriers: operated.carriers,
    egress,
    audioStreams: media.streams,
    ...(config.account === undefined ? {} : { firstAccount: config.account }),
    httpLimits: { ...config.limits?.http, ...httpLimits },
    trustedSources: config.limits?.trustedSources ?? [],
    metricsAccess: config.metricsAccess,
    docs: config.docs,
    ...(certificate === undefined ? {} : { certificate }),
  });
  const signalling = createSignalling({
    ...shared,
    metrics,
    ports: created.signalling,
    domains,
    operated,
    openTransports,
    locate: createLocate(config, clock),
    ...signallingRules(config, media.hasWebrtc),
    // Origination URIs come from customers: the same networks are closed as for their URLs.
    mayReach: createAddressGuard(rules),
    audioMayReach: createAudioGuard(rules),
  });
  atEnd(() => signalling.close());
  const platform = await explained(explainData(config), () => created.start(signalling.telephony));
  atEnd(() => platform.close());
  const transports = sockets!;
  // The HTTP port carries SIP over WebSocket at this path (docs/decisions/0013-transports.md).
  const answerOf = (refusal: UpgradeRefusal) => upgradeAnswer(refusal, secrets.randomUuid());
  transports.attachWebSocket(platform.http.server, { path: '/sip', answerOf });
  atEnd(() => transports.closeWebSockets());
  const watch =
    config.tls &&
    watchCertificate(config.tls, log, (renewed) => {
      transports.renewCertificate(renewed);
      if (platform.http.server instanceof TlsServer) platform.http.server.setSecureContext(renewed);
    });
  atEnd(() => watch?.close());
  if (certificate !== undefined && certificate.expires.getTime() < clock.wallNow()) {
    log.warn(
      { expires: certificate.expires.toISOString() },
      'The certificate has expired: phones will refuse it.',
    );
  }
  if (sandbox !== undefined) {
    atEnd(() => sandbox.close());
    const { runner, recordings, account } = platform;
    await sandbox.open(
      runner,
      createVoicemail(recordings, account.authId, () => secrets.randomUuid()),
      signalling.address(),
    );
  }
  if (show !== undefined) {
    const unfollow = await platform.followEvents((event) => {
      const line = lineOfEvent(event);
      if (line !== undefined) show(line);
    });
    atEnd(unfollow);
  }
  publishMetrics({
    metrics,
    clock,
    platform,
    edge: signalling,
    media,
    mediaTotals: counted.totals,
    recorder,
  });

  await phase('HTTP', async () => {
    await explained(explainListening(httpVariables, config.http), () => platform.http.listen(config.http));
  });
  const [httpAddress] = platform.http.addresses() as readonly AddressInfo[];

  return {
    platform,
    http: { host: httpAddress!.address, port: httpAddress!.port },
    sip: signalling.address(),
    ...sipsOf(transports),
    reloadCertificate: () => watch?.reload(),
    async drain(limitMs) {
      platform.drain();
      signalling.drain();
      await callsOver(signalling, clock, limitMs);
      signalling.hangUpAll();
      // A leg whose port was still being opened ends a moment later than the others.
      await callsOver(signalling, clock, lastLegsMs);
      await platform.runner.idle();
    },
    async census() {
      return {
        sessions: platform.runner.census(),
        sip: signalling.census(),
        sandbox: sandbox?.census(),
        media: await media.census(),
        egress: egress.openConnections(),
      };
    },
    close: closeAll,
  };
}

/** The options of the media thread. The log names the priority that it obtained, and each change. */
function mediaOptionsOf({ sip, rtpPorts, rtpSources, mediaPriority, webrtcPort }: Config, log: Logger) {
  return {
    host: sip.host,
    ports: rtpPorts,
    ...(rtpSources === undefined ? {} : { rtpSources }),
    ...(webrtcPort === undefined || webrtcPort === 'off' ? {} : { webrtcPort }),
    onWebrtcOff(problem: string) {
      log.warn({ problem }, 'WebRTC is off: phones in browsers are refused');
    },
    priority: mediaPriority === 'auto' ? ('best' as const) : ('normal' as const),
    onPriority(priority: ThreadPriority) {
      log.info({ priority }, 'media thread priority obtained');
    },
  };
}

/** Configured gateways are used, in the sandbox too. */
function smsOf(gateways: OpenGateways | undefined, { sandbox }: Config): Pick<PlatformDeps, 'sms'> {
  if (gateways !== undefined) return { sms: gateways.linked };
  return sandbox ? { sms: 'sandbox-inbox' } : {};
}

function signallingRules(
  { sip, publicAddress, limits, sandbox, webrtcSignalling = 'secure' }: Config,
  hasWebrtc: boolean,
) {
  const given = {
    ...(limits === undefined ? {} : { limits }),
    ...(hasWebrtc ? { webrtc: webrtcSignalling } : {}),
  };
  return { ...given, digest: sip.digest, srtp: sip.srtp, publicAddress, isSandbox: sandbox };
}

/** The limits of the transports. */
function transportLimits({ limits }: Config) {
  if (limits === undefined) return {};
  const {
    messageBytes: messageSize,
    connections,
    connectionsPerSource: maxPerSource,
    strangerMs,
  } = limits.sip;
  return {
    maxConnections: connections,
    maxPerSource,
    limits: { messageSize, strangerMs },
    webSocketLimits: { messageSize, strangerMs, maxSockets: connections, maxPerSource },
  };
}

function sipsOf({ addresses }: SocketTransports): Pick<Embedded, 'sips'> {
  const tls = addresses.find(({ protocol }) => protocol === 'tls');
  return tls === undefined ? {} : { sips: { host: tls.address, port: tls.port } };
}

/** UDP, TCP and TLS are bound together, so the error itself names the port. */
function explainSip({ sip, tls }: Config): (error: unknown) => string | undefined {
  return (error) => {
    const isTls = tls !== undefined && tls.port !== 0 && (error as { port?: unknown }).port === tls.port;
    const explain = isTls
      ? explainListening(sipsVariables, { host: sip.host, port: tls.port })
      : explainListening(sipVariables, sip);
    return explain(error);
  };
}

/** Checks live legs four times a second; a drain lasts minutes, so a later check does no harm. */
function callsOver(edge: SipEdge, clock: Clock, limitMs: number): Promise<void> {
  const end = clock.now() + limitMs;
  return new Promise((resolve) => {
    const look = () => {
      if (edge.census().legs === 0 || clock.now() >= end) resolve();
      else clock.startTimer(Math.min(clock.now() + 250, end), look);
    };
    look();
  });
}

function nonEmpty(domains: readonly string[]): readonly [string, ...string[]] {
  const [first, ...rest] = domains.map((domain) => domain.toLowerCase());
  if (first === undefined) throw new Error('JACKFIELD_SIP_DOMAINS names no domain');
  return [first, ...rest];
}
