import { connect, type Socket } from 'node:net';
import { quantile } from '../measure.ts';
import { servePart } from '../part.ts';

export interface HttpLoad {
  readonly port: number;
  readonly requests: HttpRequests;
  readonly seconds: number;
  readonly connections?: number;
}

export type HttpRequests =
  /** POSTs, each with a new user name. */
  | { readonly kind: 'create'; readonly path: string; readonly authorization: string }
  /** GETs of these paths in turn. */
  | { readonly kind: 'read'; readonly paths: readonly string[]; readonly authorization: string };

export interface HttpOutcome {
  readonly operations: number;
  readonly failures: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The last answer's body. */
  readonly body: string;
  /** Identifiers of the first created objects. */
  readonly ids: readonly string[];
}

/** HTTP/1.1 on plain sockets, one request after another on each: the cheapest possible client. */
servePart({ run });

const idsKept = 2000;
let created = 0;

async function run({ port, requests, seconds, connections = 32 }: HttpLoad): Promise<HttpOutcome> {
  const next = requestsOf(requests);
  const success = requests.kind === 'create' ? '201' : '200';
  const latencies: number[] = [];
  const ids: string[] = [];
  let body = '';
  let failures = 0;
  const start = performance.now();
  const end = start + seconds * 1000;

  const converse = async () => {
    const socket = await connected(port);
    await new Promise<void>((resolve, reject) => {
      let buffered: Buffer = Buffer.alloc(0);
      let sentAt = 0;
      const ask = () => {
        sentAt = performance.now();
        if (sentAt >= end) {
          socket.end(resolve);
          return;
        }
        socket.write(next(), 'latin1');
      };
      socket.on('error', reject);
      socket.on('data', (chunk) => {
        buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
        const answer = readAnswer(buffered);
        if (answer === undefined) return;
        buffered = buffered.subarray(answer.bytes);
        latencies.push(performance.now() - sentAt);
        if (answer.status !== success) failures += 1;
        body = answer.body;
        if (requests.kind === 'create' && ids.length < idsKept) ids.push(identifierIn(answer.body));
        ask();
      });
      ask();
    });
  };
  await Promise.all(Array.from({ length: connections }, converse));
  const took = (performance.now() - start) / 1000;
  latencies.sort((left, right) => left - right);
  return {
    operations: latencies.length,
    failures,
    seconds: took,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    body,
    ids,
  };
}

function requestsOf(requests: HttpRequests): () => string {
  const head = (line: string) =>
    `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${requests.authorization}\r\n`;
  if (requests.kind === 'read') {
    const all = requests.paths.map((path) => `${head(`GET ${path}`)}\r\n`);
    let at = 0;
    return () => all[at++ % all.length]!;
  }
  const post = `${head(`POST ${requests.path}`)}Content-Type: application/json\r\nContent-Length: `;
  return () => {
    created += 1;
    const body = `{"username":"u${created.toString(36)}","password":"benchmark","alias":"bench-phone"}`;
    return `${post}${body.length}\r\n\r\n${body}`;
  };
}

function readAnswer(bytes: Buffer) {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  const end = headEnd + 4 + length;
  if (bytes.length < end) return undefined;
  return { status: head.slice(9, 12), body: bytes.toString('latin1', headEnd + 4, end), bytes: end };
}

function identifierIn(body: string): string {
  return /"endpoint_id":"(\d+)"/.exec(body)?.[1] ?? '';
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.setNoDelay(true);
    socket.once('error', reject);
  });
}
