import type { AddressInfo } from 'node:net';
import { createSystemClock } from '@jackfield/adapters/clock';
import { createMetrics } from '@jackfield/adapters/metrics';
import { createPlatform, createStartPhase, type HttpLimits, type Platform } from '@jackfield/platform';
import type { Clock, Logger } from '@jackfield/ports';
import { createSignalling, type SipEdge } from '@jackfield/signalling';
import type { SocketTransports } from '@jackfield/sip/transport';
import { openAcme } from './acme/open-acme.ts';
import { lineOfEvent, withActivity } from './activity.ts';
import { clusterNodeOf } from './cluster-node.ts';
import type { Config } from './config.ts';
import { createConsolePages } from './console-pages.ts';
import { describedMetrics } from './described-metrics.ts';
import { createGuidePages } from './guide-pages.ts';
import { createLocate } from './locate-names.ts';
import { nameCalls } from './named-calls.ts';
import { type Adapters, openAdapters } from './open-adapters.ts';
import { platformAdapters, platformSettings } from './platform-options.ts';
import { openPublicAddresses } from './public-addresses.ts';
import { publishMetrics } from './publish-metrics.ts';
import { createVoicemail } from './sandbox-voicemail.ts';
import { attachWebSockets, followCertificate, openSipSockets } from './sip-sockets.ts';
import { explainData, explained, explainListening } from './start-failure.ts';
import { readStartFiles } from './start-files.ts';
import { openTracing } from './tracing/open-tracing.ts';
import { traceMediaLegs, traceTelephony } from './tracing/traced-telephony.ts';
import { version } from './version.ts';

export interface EmbeddedOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Receives one readable line for each event; nothing is shown when absent. */
  readonly show?: (line: string) => void;
  /** Media threads die again and again, or another process took the database or this node: the process has to end. */
  readonly onFatal: (error: Error) => void;
  readonly httpLimits?: Partial<HttpLimits>;
}

/** The whole platform in this process. */
export interface Embedded {
  readonly platform: Platform;
  readonly http: { readonly host: string; readonly port: number; readonly isHttps: boolean };
  /** The operator's listener, when one is configured. */
  readonly operator?: { readonly host: string; readonly port: number };
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

const operatorVariables = { host: 'JACKFIELD_OPERATOR_HOST', port: 'JACKFIELD_OPERATOR_PORT' };
const httpVariables = { host: 'JACKFIELD_HTTP_HOST', port: 'JACKFIELD_HTTP_PORT' };

/** How long a drain waits, after hanging up all calls, for legs that had not been signalled yet. */
const lastLegsMs = 2_000;

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
  { config: configured, log: quietLog, onFatal, httpLimits, show }: EmbeddedOptions,
  atEnd: (close: Close) => void,
  closeAll: Close,
): Promise<Embedded> {
  const named = nameCalls(show === undefined ? quietLog : withActivity(quietLog, show));
  const { log } = named;
  const clock = createSystemClock({
    onStep: (offsetMs) => log.warn({ offsetMs }, 'The wall clock was stepped.'),
  });
  const addresses = await openPublicAddresses(configured, { clock, log });
  atEnd(() => addresses.close());
  const config = { ...configured, publicAddress: addresses.addressFor(undefined) };
  const acme = await openAcme(config, clock, log);
  atEnd(() => acme?.close());
  const files = readStartFiles(config);
  const metrics = createMetrics({ described: describedMetrics });
  const phase = createStartPhase({ clock, log });
  const adapters = await openAdapters({ config, log, clock, metrics, phase, onFatal, atEnd });
  const tracing = await openTracing(config, adapters.shared.secrets.randomUuid(), { clock, log });
  atEnd(() => tracing?.close());
  const { shared, media, mediaTotals, recorder, recognition, mayReach, audioMayReach } = adapters;
  const domains = nonEmpty(config.sip.domains);
  let sockets: SocketTransports | undefined;
  const consolePages = createConsolePages({ log });
  atEnd(() => consolePages.close());

  const created = createPlatform({
    ...platformAdapters(config, adapters),
    ...platformSettings(config, files),
    ...(tracing && { tracing }),
    ...(await clusterNodeOf(config, { ...shared, files, onFatal })),
    metrics,
    domains,
    consolePages,
    guidePages: createGuidePages(),
    version,
    httpLimits: { ...config.limits?.http, ...httpLimits },
  });
  const signalling = createSignalling({
    ...shared,
    ...(tracing && { mediaLegs: traceMediaLegs(shared.mediaLegs, tracing) }),
    metrics,
    ports: created.signalling,
    domains,
    operated: files.operated,
    openTransports: async (listener) =>
      (sockets = await openSipSockets(config, files, listener, created.incarnation, adapters.lookupName)),
    locate: createLocate(config, clock, adapters.lookupName),
    addressFor: addresses.addressFor,
    ...signallingRules(config, media.hasWebrtc),
    mayReach,
    audioMayReach,
  });
  atEnd(() => signalling.close());
  const telephony =
    tracing === undefined ? signalling.telephony : traceTelephony(signalling.telephony, tracing);
  const platform = await explained(explainData(config), () => created.start(telephony));
  atEnd(() => platform.close());
  named.follow(platform.accountOfCall);
  const transports = sockets!;
  attachWebSockets(config, transports, platform, shared.secrets);
  atEnd(() => transports.closeWebSockets());
  const watch = followCertificate(config, files, transports, platform, { clock, log });
  atEnd(() => watch?.close());
  await openSandbox(adapters, platform, signalling, atEnd);
  if (show !== undefined) atEnd(await showEvents(platform, show));
  const measured = { media, mediaTotals, recorder, ...(recognition && { recognition }) };
  publishMetrics({ metrics, clock, platform, edge: signalling, ...measured });

  const listening = await phase('HTTP', () => listen(config, platform));
  acme?.start(() => watch?.reload());
  return {
    platform,
    ...listening,
    sip: signalling.address(),
    ...sipsOf(transports),
    reloadCertificate: () => watch?.reload(),
    drain: (limitMs) => drain(platform, signalling, clock, limitMs),
    census: () => censusOf(platform, signalling, adapters),
    close: async () => closeAll(),
  };
}

/** Opens the HTTP ports, the operator's last: when its `/readyz` answers, the public port is open. */
async function listen(
  { http, operator, tls }: Config,
  platform: Platform,
): Promise<Pick<Embedded, 'http' | 'operator'>> {
  const { operatorHttp } = platform;
  await explained(explainListening(httpVariables, http), () => platform.http.listen(http));
  if (operator !== undefined && operatorHttp !== undefined) {
    await explained(explainListening(operatorVariables, operator), () => operatorHttp.listen(operator));
  }
  return {
    http: { ...boundAddress(platform.http), isHttps: tls?.isHttps === true },
    ...(operatorHttp === undefined ? {} : { operator: boundAddress(operatorHttp) }),
  };
}

/** Of a server that listens on an address and a port, which has no name in the file system. */
function boundAddress({ server }: Platform['http']): { readonly host: string; readonly port: number } {
  const { address: host, port } = server.address() as AddressInfo;
  return { host, port };
}

async function openSandbox(
  { sandbox, shared }: Adapters,
  { runner, recordings, account }: Platform,
  signalling: SipEdge,
  atEnd: (close: Close) => void,
): Promise<void> {
  if (sandbox === undefined) return;
  atEnd(() => sandbox.close());
  const voicemail = createVoicemail(recordings, account.authId, () => shared.secrets.randomUuid());
  await sandbox.open(runner, voicemail, signalling.address());
}

/** Shows a line for each event; returns the function that ends it. */
function showEvents(platform: Platform, show: (line: string) => void): Promise<Close> {
  return platform.followEvents((event) => {
    const line = lineOfEvent(event);
    if (line !== undefined) show(line);
  });
}

async function drain(platform: Platform, signalling: SipEdge, clock: Clock, limitMs: number): Promise<void> {
  platform.drain();
  await callsOver(signalling, clock, limitMs);
  signalling.hangUpAll();
  // A leg whose port was still being opened ends a moment later than the others.
  await callsOver(signalling, clock, lastLegsMs);
  await platform.runner.idle();
}

async function censusOf(
  { runner }: Platform,
  signalling: SipEdge,
  { sandbox, media, recognition, egress }: Adapters,
): Promise<Readonly<Record<string, unknown>>> {
  return {
    sessions: runner.census(),
    sip: signalling.census(),
    sandbox: sandbox?.census(),
    media: await media.census(),
    recognitions: recognition?.running ?? 0,
    egress: egress.openConnections(),
  };
}

function signallingRules(
  { sip, limits, sandbox, webrtcSignalling = 'secure', browserCodecs }: Config,
  hasWebrtc: boolean,
) {
  const given = {
    ...(limits === undefined ? {} : { limits }),
    ...(hasWebrtc ? { webrtc: webrtcSignalling } : {}),
    ...(browserCodecs && { browserCodecs }),
  };
  return { ...given, digest: sip.digest, srtp: sip.srtp, isSandbox: sandbox };
}

function sipsOf({ addresses }: SocketTransports): Pick<Embedded, 'sips'> {
  const tls = addresses.find(({ protocol }) => protocol === 'tls');
  return tls === undefined ? {} : { sips: { host: tls.address, port: tls.port } };
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
