import { once } from 'node:events';
import type { Duplex } from 'node:stream';

// An import of node:http also loads the HTTP client of Node for its names WebSocket and MessageEvent: 80 ms of CPU and 3 MB.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Why an upgrade is refused. */
export interface UpgradeRefusal {
  readonly reason:
    | 'no-such-path'
    | 'wrong-subprotocol'
    | 'wrong-origin'
    | 'bad-handshake'
    | 'too-many-sockets'
    | 'too-many-of-source'
    | 'closed';
  readonly sentence: string;
}

/** The HTTP response to a refused upgrade. */
export interface UpgradeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Statuses of refusals. */
const statuses: Readonly<Record<UpgradeRefusal['reason'], number>> = {
  'no-such-path': 404,
  'wrong-subprotocol': 400,
  'wrong-origin': 403,
  'bad-handshake': 400,
  'too-many-sockets': 503,
  'too-many-of-source': 429,
  closed: 503,
};

/** The refusal when all sockets of the server are in use. */
export function tooManySockets(most: number): UpgradeRefusal {
  return { reason: 'too-many-sockets', sentence: `all ${most} WebSockets for SIP are in use` };
}

/** The refusal when one source has its share of the sockets. */
export function tooManyOf(source: string, maxPerSource: number): UpgradeRefusal {
  const sentence = `${source} has the ${maxPerSource} WebSockets for SIP that one address may have`;
  return { reason: 'too-many-of-source', sentence };
}

function plainAnswer({ reason, sentence }: UpgradeRefusal): UpgradeAnswer {
  return { status: statuses[reason], headers: { 'Content-Type': 'text/plain' }, body: `${sentence}\n` };
}

/** Ends the socket with the answer to a refusal. */
export function refuseUpgrade(
  socket: Duplex,
  given: UpgradeRefusal,
  answerOf: (refusal: UpgradeRefusal) => UpgradeAnswer = plainAnswer,
): void {
  const { status, headers, body } = answerOf(given);
  const lines = Object.entries({
    ...headers,
    // RFC 6455 §4.4: the versions that we speak.
    ...(given.reason === 'bad-handshake' ? { 'Sec-WebSocket-Version': '13, 8' } : {}),
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  void once(socket, 'finish').then(
    () => socket.destroy(),
    () => socket.destroy(),
  );
}
