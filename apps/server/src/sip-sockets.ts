import { Server as TlsServer } from 'node:tls';
import { loadNativeDatagrams } from '@jackfield/adapters/media-worker/native-datagrams';
import type { NameLookup } from '@jackfield/adapters/name-lookup';
import { clientNamedBy, type Platform, upgradeAnswer } from '@jackfield/platform';
import type { Clock, Logger, Secrets } from '@jackfield/ports';
import {
  createTransports,
  type SocketTransports,
  type TransportListener,
  type UpgradeRefusal,
} from '@jackfield/sip/transport';
import { watchCertificate } from './certificate-files.ts';
import type { Config } from './config.ts';
import { explained, explainListening } from './start-failure.ts';
import type { StartFiles } from './start-files.ts';

const sipVariables = { host: 'JACKFIELD_SIP_HOST', port: 'JACKFIELD_SIP_PORT' };
const sipsVariables = { host: 'JACKFIELD_SIP_HOST', port: 'JACKFIELD_SIPS_PORT' };

/** Opens SIP over UDP, TCP and, with a certificate, TLS. */
export async function openSipSockets(
  config: Config,
  { certificate, authorities }: StartFiles,
  listener: TransportListener,
  incarnation: string,
  lookup: NameLookup,
): Promise<SocketTransports> {
  const tls = config.tls && certificate && { port: config.tls.port, certificate, authorities };
  const options = {
    ...config.sip,
    ...listener,
    flowInstance: incarnation,
    ...transportLimits(config),
    lookup,
    bindBatches: await loadNativeDatagrams(),
    ...(tls === undefined ? {} : { tls }),
  };
  return explained(explainSip(config), () => createTransports(options));
}

/** The HTTP port carries SIP over WebSocket at this path (docs/decisions/0013-transports.md). */
export function attachWebSockets(
  { limits }: Config,
  transports: SocketTransports,
  { http }: Platform,
  secrets: Secrets,
): void {
  const answerOf = (refusal: UpgradeRefusal) => upgradeAnswer(refusal, secrets.randomUuid());
  const clientOf = clientNamedBy(limits?.proxies ?? []);
  transports.attachWebSocket(http.server, { path: '/sip', answerOf, clientOf });
}

/** Uses a renewed certificate for SIP and HTTP as soon as its files change; warns of an expired one. */
export function followCertificate(
  { tls }: Config,
  { certificate }: StartFiles,
  transports: SocketTransports,
  { http }: Platform,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): ReturnType<typeof watchCertificate> | undefined {
  if (certificate !== undefined && certificate.expires.getTime() < clock.wallNow()) {
    log.warn(
      { expires: certificate.expires.toISOString() },
      'The certificate has expired: phones will refuse it.',
    );
  }
  if (tls === undefined) return undefined;
  return watchCertificate(tls, log, (renewed) => {
    transports.renewCertificate(renewed);
    if (http.server instanceof TlsServer) http.server.setSecureContext(renewed);
  });
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
