import { connect, type Socket } from 'node:net';
import type { ResolvedAddress } from './egress-target.ts';

/** RFC 8305 §5: how long one address is tried alone. */
const attemptDelayMs = 250;
/** Of a name with more addresses the first are tried, so that a name cannot ask for many connections. */
const maxAddresses = 8;

/**
 * Connects to the first of the addresses that accepts, as in RFC 8305 §5: the next one is tried when those before have failed or were
 * silent for 250 ms, and those go on meanwhile, so that a slow address has all the time there is. Calls `connected` or `failed` once;
 * the function that it gives ends all attempts instead.
 */
export function dial(
  addresses: readonly ResolvedAddress[],
  port: number,
  connected: (socket: Socket) => void,
  failed: (error: Error) => void,
): () => void {
  const waiting = alternated(addresses).slice(0, maxAddresses);
  const attempts = new Set<Socket>();
  let timer: NodeJS.Timeout | undefined;

  function stop(): void {
    clearTimeout(timer);
    waiting.length = 0;
    for (const socket of attempts) socket.destroy();
    attempts.clear();
  }

  function next(): void {
    clearTimeout(timer);
    const { address, family } = waiting.shift()!;
    if (waiting.length > 0) timer = setTimeout(next, attemptDelayMs);
    const socket = connect({ host: address, port, family });
    attempts.add(socket);
    socket.once('connect', () => {
      attempts.delete(socket);
      socket.off('error', fail);
      stop();
      connected(socket);
    });
    function fail(error: Error): void {
      if (!attempts.delete(socket)) return;
      if (waiting.length > 0) next();
      else if (attempts.size === 0) failed(error);
    }
    socket.on('error', fail);
  }

  next();
  return stop;
}

/** RFC 8305 §4: the families take turns, so that a dead family delays the other by one attempt. */
function alternated(addresses: readonly ResolvedAddress[]): ResolvedAddress[] {
  const first = addresses.filter(({ family }) => family === addresses[0]!.family);
  const second = addresses.filter(({ family }) => family !== addresses[0]!.family);
  const longest = Math.max(first.length, second.length);
  return Array.from({ length: longest }, (_, at) => [first[at], second[at]])
    .flat()
    .filter((address) => address !== undefined);
}
