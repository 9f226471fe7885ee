import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ChallengeAnswers } from '@jackfield/ports';

const path = '/.well-known/acme-challenge/';
/** An authority checks from a few networks at once. */
const mostConnections = 100;
const slowMs = 10_000;

export interface ChallengeListener {
  readonly answers: ChallengeAnswers;
  close(): Promise<void>;
}

/** Answers the challenges http-01 of an authority over plain HTTP (RFC 8555 §8.3), and nothing else. */
export async function openChallengeListener(at: {
  readonly host: string;
  readonly port: number;
}): Promise<ChallengeListener> {
  const byToken = new Map<string, string>();
  const options = { headersTimeout: slowMs, requestTimeout: slowMs, connectionsCheckingInterval: slowMs };
  const server = createServer(options, ({ method, url = '' }, response) => {
    const answer = url.startsWith(path) ? byToken.get(url.slice(path.length)) : undefined;
    const status = method !== 'GET' ? 405 : answer === undefined ? 404 : 200;
    response.writeHead(status, { 'content-type': 'application/octet-stream', connection: 'close' });
    response.end(status === 200 ? answer : undefined);
  });
  server.maxConnections = mostConnections;
  server.setTimeout(slowMs, (socket) => socket.destroy());
  server.listen(at.port, at.host);
  await once(server, 'listening');
  return {
    answers: {
      put: (token, answer) => void byToken.set(token, answer),
      remove: (token) => void byToken.delete(token),
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
