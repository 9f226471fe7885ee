import { createSocket } from 'node:dgram';
import { get as getPlainly } from 'node:http';
import { get as getSecurely } from 'node:https';
import { createServer } from 'node:net';
import type { Config } from '../config.ts';
import { explainListening } from '../start-failure.ts';
import { type Finding, fault, sound, warning } from './finding.ts';

const httpVariables = { host: 'JACKFIELD_HTTP_HOST', port: 'JACKFIELD_HTTP_PORT' };
const operatorVariables = { host: 'JACKFIELD_OPERATOR_HOST', port: 'JACKFIELD_OPERATOR_PORT' };
const sipVariables = { host: 'JACKFIELD_SIP_HOST', port: 'JACKFIELD_SIP_PORT' };
const sipsVariables = { host: 'JACKFIELD_SIP_HOST', port: 'JACKFIELD_SIPS_PORT' };
const acmeVariables = { host: 'JACKFIELD_HTTP_HOST', port: 'JACKFIELD_ACME_PORT' };
const webrtcVariables = { host: 'JACKFIELD_SIP_HOST', port: 'JACKFIELD_WEBRTC_PORT' };

/** Whether the ports of the configuration can be opened. A server that runs already has them, and answers at /healthz. */
export async function examinePorts(config: Config): Promise<readonly Finding[]> {
  const { http, operator, sip, tls, webrtcPort, rtpPorts } = config;
  const health = operator ?? http;
  if (await answersAt(config))
    return [
      sound('ports', `a server runs: ${health.host}:${health.port} answers at /healthz, and has the ports`),
    ];
  const findings = [
    await tried('HTTP', () => openTcp(http.host, http.port), httpVariables, http),
    await tried('SIP over UDP', () => openUdp(sip.host, sip.port), sipVariables, sip),
    await tried('SIP over TCP', () => openTcp(sip.host, sip.port), sipVariables, sip),
  ];
  if (operator !== undefined)
    findings.push(
      await tried('operator', () => openTcp(operator.host, operator.port), operatorVariables, operator),
    );
  if (tls !== undefined)
    findings.push(
      await tried('SIP over TLS', () => openTcp(sip.host, tls.port), sipsVariables, {
        ...sip,
        port: tls.port,
      }),
    );
  if (tls?.acme !== undefined) {
    const at = { host: http.host, port: tls.acme.port };
    findings.push(await tried('challenges', () => openTcp(at.host, at.port), acmeVariables, at));
  }
  if (typeof webrtcPort === 'number')
    findings.push(
      await tried('WebRTC', () => openUdp(sip.host, webrtcPort), webrtcVariables, {
        ...sip,
        port: webrtcPort,
      }),
    );
  findings.push(await examineAudio(sip.host, rtpPorts));
  return findings;
}

async function examineAudio(host: string, { first, last }: Config['rtpPorts']): Promise<Finding> {
  const taken: number[] = [];
  for (let port = first; port <= last; port++) await openUdp(host, port).catch(() => taken.push(port));
  const subject = `audio, UDP ${first}-${last}`;
  if (taken.length === 0) return sound(subject, 'every port is free');
  const shown = taken.slice(0, 5).join(', ');
  const sentence = `JACKFIELD_RTP_PORTS: ${taken.length} of the ports are in use by other programs (${shown}${taken.length > 5 ? ', …' : ''}); choose another range`;
  return taken.length > last - first ? fault(subject, sentence) : warning(subject, sentence);
}

async function tried(
  what: string,
  open: () => Promise<void>,
  variables: { readonly host: string; readonly port: string },
  at: { readonly host: string; readonly port: number },
): Promise<Finding> {
  const subject = `${what}, port ${at.port}`;
  try {
    await open();
    return sound(subject, `can be opened on ${at.host}`);
  } catch (error) {
    return fault(subject, explainListening(variables, at)(error) ?? (error as Error).message);
  }
}

async function answersAt({ http, operator, tls }: Config): Promise<boolean> {
  const { host, port } = operator ?? http;
  const own =
    host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  if (port === 0) return false;
  const isHttps = tls?.isHttps === true && operator === undefined;
  return isHealthy(`${isHttps ? 'https' : 'http'}://${own}:${port}/healthz`);
}

/** The certificate names the public host, not this address: it is not checked. */
function isHealthy(url: string): Promise<boolean> {
  const get = url.startsWith('https:') ? getSecurely : getPlainly;
  return new Promise((resolve) => {
    const options = { signal: AbortSignal.timeout(2_000), rejectUnauthorized: false };
    const request = get(url, options, (answer) => {
      let text = '';
      answer.on('data', (part) => (text += String(part)));
      answer.on('error', () => resolve(false));
      answer.on('end', () => resolve(answer.statusCode === 200 && text.includes('ok')));
    });
    request.on('error', () => resolve(false));
  });
}

function openTcp(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => server.close(() => resolve()));
  });
}

function openUdp(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    socket.once('error', (error) => {
      socket.close();
      reject(error);
    });
    socket.bind(port, host, () => socket.close(() => resolve()));
  });
}
