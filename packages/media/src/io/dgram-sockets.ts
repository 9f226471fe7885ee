import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import {
  type LegSockets,
  type LegSocketsOptions,
  type MovedSockets,
  NoPortLeftError,
  type ReceivePacket,
} from './leg-sockets.ts';
import { createPortRange } from './port-range.ts';

interface Pair {
  readonly port: number;
  readonly rtp: Socket;
  readonly rtcp: Socket;
}

/** Sockets of legs on node:dgram, which works on every system. */
export function openDgramSockets({ host, ports, receive, receiveReport }: LegSocketsOptions): LegSockets {
  const range = createPortRange(ports.first, ports.last);
  const family = isIPv6(host) ? 'udp6' : 'udp4';
  const pairs = new Map<number, Pair>();
  const counters = { sockets: 0, sent: 0, received: 0, sendErrors: 0 };

  const bind = async (port: number): Promise<Socket> => {
    // Addresses in SDP are numeric here. Without this lookup, dgram would defer each send to the next turn of the event
    // loop.
    const socket = createSocket({
      type: family,
      lookup: (address, _options, done) => done(null, address, 4),
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ port, address: host, exclusive: true }, () => {
        socket.removeListener('error', reject);
        resolve();
      });
    }).catch((error: unknown) => {
      socket.close();
      throw error;
    });
    // ICMP errors arrive here when the peer's ports are closed; media-silent and RTCP show the same.
    socket.on('error', () => counters.sendErrors++);
    counters.sockets++;
    return socket;
  };
  const shut = (socket: Socket): Promise<void> =>
    new Promise((resolve) => {
      counters.sockets--;
      socket.close(() => resolve());
    });
  const listen = (socket: Socket, leg: number, hand: ReceivePacket): void => {
    socket.on('message', (bytes, from) => {
      counters.received++;
      hand(leg, bytes, bytes.length, from.address, from.port, 0);
    });
  };
  const sent = (error: Error | null): void => {
    if (error !== null) counters.sendErrors++;
  };

  const bindPair = async (leg: number, port: number): Promise<boolean> => {
    const rtp = await bind(port).catch(() => undefined);
    const rtcp = rtp === undefined ? undefined : await bind(port + 1).catch(() => undefined);
    if (rtp === undefined || rtcp === undefined) {
      if (rtp !== undefined) await shut(rtp);
      return false;
    }
    listen(rtp, leg, receive);
    listen(rtcp, leg, receiveReport);
    pairs.set(leg, { port, rtp, rtcp });
    return true;
  };
  const unbind = async (leg: number): Promise<number | undefined> => {
    const pair = pairs.get(leg);
    if (pair === undefined) return undefined;
    pairs.delete(leg);
    await Promise.all([shut(pair.rtp), shut(pair.rtcp)]);
    return pair.port;
  };

  return {
    counters,
    pollsPerTick: 0,
    poll() {},
    async open(leg) {
      // Another program may use a port of the range: try each pair once.
      for (let tries = 0; tries < range.pairs; tries++) {
        const port = range.take();
        if (port === undefined) break;
        if (await bindPair(leg, port)) return port;
        range.release(port);
      }
      throw new NoPortLeftError(ports.first, ports.last);
    },
    send(leg, bytes, length, address, port) {
      const pair = pairs.get(leg);
      if (pair === undefined) return;
      counters.sent++;
      // The engine overwrites its buffer before dgram has sent it.
      pair.rtp.send(bytes.slice(0, length), port, address, sent);
    },
    sendReport(leg, bytes, length, address, port) {
      pairs.get(leg)?.rtcp.send(bytes.slice(0, length), port, address, sent);
    },
    async close(leg) {
      const port = await unbind(leg);
      if (port !== undefined) range.release(port);
    },
    async release(leg): Promise<MovedSockets | undefined> {
      const port = await unbind(leg);
      return port === undefined ? undefined : { port };
    },
    async adopt(leg, { port }) {
      if (!(await bindPair(leg, port))) throw new NoPortLeftError(port, port + 1);
    },
    discard() {},
    freePort: range.release,
  };
}
