import { PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import {
  createResponse,
  parseMessage,
  parseNameAddr,
  parseVia,
  printMessage,
  type SipMessage,
} from '@jackfield/sip';
import type { Load } from '../measure.ts';
import { servePart } from '../part.ts';

/** The work on a datagram. */
export type ParserWork = 'parse' | 'parse-and-read' | 'floor';
export type ParserMessage = 'REGISTER' | 'INVITE' | '200';

export interface ParserRun {
  readonly work: ParserWork;
  readonly message: ParserMessage;
  readonly seconds: number;
}

export interface AllocationRun {
  readonly work: ParserWork;
  readonly message: ParserMessage;
}

const common = (method: string, cseq: number) => [
  'Via: SIP/2.0/UDP 192.0.2.10:49152;rport;branch=z9hG4bKPj2f8e0c1b7a9d4e63',
  'Max-Forwards: 70',
  'From: "Alice Example" <sip:alice@sip.example.com>;tag=8f1a2b3c4d',
  method === 'INVITE' ? 'To: <sip:bob@sip.example.com>' : 'To: "Alice Example" <sip:alice@sip.example.com>',
  'Call-ID: 4f9c2a1e-7d63-4b0e-9a58-1c3d5e7f9b20',
  `CSeq: ${cseq} ${method}`,
  'Contact: <sip:alice@192.0.2.10:49152;ob>',
  'User-Agent: Phone/5.12.3 (desk)',
  'Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK, REFER, NOTIFY',
  'Supported: replaces, 100rel, timer, norefersub',
];
const credentials =
  'Digest username="alice", realm="sip.example.com", nonce="1732200000.6f1d2c.9b8a7c6d5e4f", uri="sip:sip.example.com", ' +
  'response="6629fae49393a05397450978507c4ef1", algorithm=MD5, qop=auth, cnonce="0a4f113b", nc=00000002';
const sdp = [
  'v=0',
  'o=- 3941187200 3941187200 IN IP4 192.0.2.10',
  's=-',
  'c=IN IP4 192.0.2.10',
  't=0 0',
  'm=audio 40000 RTP/AVP 9 0 8 101',
  'a=rtpmap:9 G722/8000',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:8 PCMA/8000',
  'a=rtpmap:101 telephone-event/8000',
  'a=fmtp:101 0-16',
  'a=sendrecv',
  '',
].join('\r\n');

const invite = [
  'INVITE sip:bob@sip.example.com SIP/2.0',
  ...common('INVITE', 2),
  `Proxy-Authorization: ${credentials}`,
  'Content-Type: application/sdp',
  `Content-Length: ${sdp.length}`,
  '',
  sdp,
].join('\r\n');
const register = [
  'REGISTER sip:sip.example.com SIP/2.0',
  ...common('REGISTER', 3),
  `Authorization: ${credentials}`,
  'Expires: 300',
  'Content-Length: 0',
  '',
  '',
].join('\r\n');
const asked = parseMessage(invite).message;
if (asked?.kind !== 'request') throw new Error('the INVITE of this bench is malformed');
const accepted = createResponse(asked, 200, 'OK', {
  toTag: '7c6b5a4938',
  headers: [['Contact', '<sip:bob@192.0.2.20:5060>']],
  contentType: 'application/sdp',
  body: sdp,
});
const datagrams: Readonly<Record<ParserMessage, Buffer>> = {
  REGISTER: Buffer.from(register, 'latin1'),
  INVITE: Buffer.from(invite, 'latin1'),
  '200': Buffer.from(printMessage(accepted), 'latin1'),
};

/** The last result, so that the compiler does not remove the work. */
let kept: unknown;

const works: Readonly<Record<ParserWork, (datagram: Buffer) => void>> = {
  parse(datagram) {
    kept = messageIn(datagram);
  },
  /** The fields that the stack reads of every message: source, target, transaction and dialog. */
  'parse-and-read'(datagram) {
    const { headers } = messageIn(datagram);
    kept = [
      parseVia(headers.get('Via')!),
      parseNameAddr(headers.get('From')!),
      parseNameAddr(headers.get('To')!),
      parseNameAddr(headers.get('Contact')!),
      headers.get('Call-ID'),
      headers.get('CSeq'),
    ];
  },
  /** The minimum cost of text: one string, and one substring per name and value, without interpretation. */
  floor(datagram) {
    const text = datagram.toString('latin1');
    const pieces: string[] = [];
    let start = 0;
    for (let end = text.indexOf('\r\n'); end > start; end = text.indexOf('\r\n', start)) {
      const colon = text.indexOf(':', start);
      pieces.push(text.slice(start, colon), text.slice(colon + 1, end));
      start = end + 2;
    }
    kept = pieces;
  },
};

function messageIn(datagram: Buffer): SipMessage {
  const { message } = parseMessage(datagram.toString('latin1'));
  if (message === undefined) throw new Error('a message of this bench is malformed');
  return message;
}

let lastCollectionMs = 0;
new PerformanceObserver((list) => {
  for (const { startTime } of list.getEntries()) lastCollectionMs = Math.max(lastCollectionMs, startTime);
}).observe({ entryTypes: ['gc'] });

const atOnce = 1000;
const allocating = { atMost: 500, atLeast: 60 };
const attempts = 15;

servePart({
  sizes: () => Object.entries(datagrams).map(([name, datagram]) => `${name} ${datagram.length} bytes`),
  run({ work, message, seconds }: ParserRun): Load {
    const start = performance.now();
    for (let operations = atOnce; ; operations += atOnce) {
      for (let index = 0; index < atOnce; index += 1) works[work](datagrams[message]);
      const took = (performance.now() - start) / 1000;
      if (took >= seconds) return { operations, seconds: took, failures: 0 };
    }
  },
  /** Heap bytes of one message: the median over a few hundred without a collection. */
  async allocation({ work, message }: AllocationRun): Promise<number> {
    const found: number[] = [];
    let count = allocating.atMost;
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      globalThis.gc?.();
      const startedMs = performance.now();
      const { heapUsed: before } = process.memoryUsage();
      for (let index = 0; index < count; index += 1) works[work](datagrams[message]);
      const { heapUsed: after } = process.memoryUsage();
      // Collections are reported later.
      await wait(2);
      if (lastCollectionMs < startedMs) found.push((after - before) / count);
      // The young generation of a process that has done little is small.
      else count = Math.max(allocating.atLeast, count >> 1);
    }
    found.sort((left, right) => left - right);
    const median = found[found.length >> 1];
    if (median === undefined) throw new Error('the heap was collected during every attempt');
    return median;
  },
  kept: () => typeof kept,
});
