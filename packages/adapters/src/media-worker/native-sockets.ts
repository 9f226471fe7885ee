import { isIPv4 } from 'node:net';
import {
  createPortRange,
  type LegSockets,
  type LegSocketsOptions,
  NoPortLeftError,
  type OpenLegSockets,
  openDgramSockets,
} from '@jackfield/media/io';
import { loadSystemCalls, type SystemCalls } from './system-calls.ts';

/*
 * Linux, 64 bits, little-endian:
 *
 *   mmsghdr (64 bytes):  0 name*  8 namelen  16 iovec*  24 iovlen  32 control*  40 controllen  48 flags  56 msg_len
 *   iovec (16):          0 base*  8 len
 *   cmsghdr (16):        0 len  8 level  12 type; with SO_TIMESTAMPNS: 16 seconds  24 nanoseconds
 *   sockaddr_in (16):    0 family  2 port (network order)  4 address  8 zeros
 *   epoll_event:         0 events  4 data on x64 (12 bytes, packed)  8 data on arm64 (16 bytes)
 */
const AF_INET = 2;
/** SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC. */
const UDP_SOCKET = 2 | 0x800 | 0x80000;
const EPOLL_CLOEXEC = 0x80000;
const EPOLL_CTL_ADD = 1;
const EPOLLIN = 1;
const MSG_DONTWAIT = 0x40;
const SOL_SOCKET = 1;
const SO_TIMESTAMPNS = 35;
const CLOCK_REALTIME = 0;
const ADDRESS_BYTES = 16;
const CONTROL_BYTES = 32;
const MESSAGE_BYTES = 64;
const EVENT_BYTES = process.arch === 'x64' ? 12 : 16;
const EVENT_DATA = process.arch === 'x64' ? 4 : 8;

/** Packets per read of one socket; packets beyond 160 ms of audio wait for the next poll. */
const BATCH = 8;
/** Our RTP and RTCP fit into an Ethernet frame; a longer packet is truncated and then fails to parse. */
const PACKET_BYTES = 2048;
const EVENTS = 1024;
/** Addresses cached as text. */
const MOST_NAMES = 10_000;

interface Pair {
  readonly port: number;
  readonly rtp: number;
  readonly rtcp: number;
  /** The target of the last packet, as text and as sockaddr_in. */
  readonly target: Uint8Array;
  toAddress: string;
  toPort: number;
}

/**
 * Sockets on plain system calls: much cheaper per packet than node:dgram, because they allocate nothing and bypass the event loop.
 * Undefined where system calls do not work. IPv4 only; an IPv6 host uses node:dgram.
 */
export async function openNativeSockets(): Promise<OpenLegSockets | undefined> {
  const calls = await loadSystemCalls();
  if (calls === undefined) return undefined;
  return (options) => (isIPv4(options.host) ? openSockets(calls, options) : openDgramSockets(options));
}

function openSockets(calls: SystemCalls, options: LegSocketsOptions): LegSockets {
  const { host, ports, receive, receiveReport } = options;
  const range = createPortRange(ports.first, ports.last);
  const pairs = new Map<number, Pair>();
  const counters = { sockets: 0, sent: 0, received: 0, sendErrors: 0 };
  const epoll = calls.epollCreate(EPOLL_CLOEXEC);
  const events = new Uint8Array(EVENT_BYTES * EVENTS);
  const eventView = new DataView(events.buffer);
  const batch = allocateBatch(calls);
  const names = new Map<number, string>();
  const local = new Uint8Array(ADDRESS_BYTES);
  const one = Uint8Array.of(1, 0, 0, 0);
  const clock = new Uint8Array(16);
  const clockView = new DataView(clock.buffer);
  const scratchEvent = new Uint8Array(EVENT_BYTES);

  const bind = (port: number): number => {
    const fd = calls.socket(AF_INET, UDP_SOCKET, 0);
    if (fd < 0) return -1;
    writeAddress(local, host, port);
    if (calls.bind(fd, local, ADDRESS_BYTES) === 0) {
      // The kernel timestamps each packet on arrival, so a late read loses nothing.
      calls.setSocketOption(fd, SOL_SOCKET, SO_TIMESTAMPNS, one, one.length);
      counters.sockets++;
      return fd;
    }
    calls.close(fd);
    return -1;
  };
  const watch = (fd: number, leg: number, isReport: boolean): void => {
    const view = new DataView(scratchEvent.buffer);
    view.setUint32(0, EPOLLIN, true);
    view.setUint32(EVENT_DATA, leg * 2 + (isReport ? 1 : 0), true);
    view.setUint32(EVENT_DATA + 4, fd, true);
    calls.epollControl(epoll, EPOLL_CTL_ADD, fd, scratchEvent);
  };
  const shut = (fd: number): void => {
    // Closing removes the descriptor from the epoll set as well.
    calls.close(fd);
    counters.sockets--;
  };
  const nameOf = (ip: number): string => {
    let name = names.get(ip);
    if (name === undefined) {
      if (names.size >= MOST_NAMES) names.clear();
      name = `${ip >>> 24}.${(ip >>> 16) & 255}.${(ip >>> 8) & 255}.${ip & 255}`;
      names.set(ip, name);
    }
    return name;
  };
  const transmit = (fd: number, bytes: Uint8Array, length: number, target: Uint8Array): void => {
    if (calls.sendto(fd, bytes, length, MSG_DONTWAIT, target, ADDRESS_BYTES) < 0) counters.sendErrors++;
  };
  const reportTarget = new Uint8Array(ADDRESS_BYTES);

  return {
    counters,
    // The tick polls by itself; one more poll halves its backlog and keeps RTCP round trips accurate.
    pollsPerTick: 1,
    async open(leg) {
      for (let tries = 0; tries < range.pairs; tries++) {
        const port = range.take();
        if (port === undefined) break;
        const rtp = bind(port);
        const rtcp = rtp < 0 ? -1 : bind(port + 1);
        if (rtp >= 0 && rtcp >= 0) {
          watch(rtp, leg, false);
          watch(rtcp, leg, true);
          pairs.set(leg, {
            port,
            rtp,
            rtcp,
            target: new Uint8Array(ADDRESS_BYTES),
            toAddress: '',
            toPort: 0,
          });
          return port;
        }
        if (rtp >= 0) shut(rtp);
        range.release(port);
      }
      throw new NoPortLeftError(ports.first, ports.last);
    },
    send(leg, bytes, length, address, port) {
      const pair = pairs.get(leg);
      if (pair === undefined) return;
      if (pair.toPort !== port || pair.toAddress !== address) {
        if (!writeAddress(pair.target, address, port)) {
          counters.sendErrors++;
          return;
        }
        pair.toAddress = address;
        pair.toPort = port;
      }
      counters.sent++;
      transmit(pair.rtp, bytes, length, pair.target);
    },
    sendReport(leg, bytes, length, address, port) {
      const pair = pairs.get(leg);
      if (pair === undefined) return;
      if (writeAddress(reportTarget, address, port)) transmit(pair.rtcp, bytes, length, reportTarget);
      else counters.sendErrors++;
    },
    async close(leg) {
      const pair = pairs.get(leg);
      if (pair === undefined) return;
      pairs.delete(leg);
      shut(pair.rtp);
      shut(pair.rtcp);
      range.release(pair.port);
    },
    poll() {
      calls.clockGetTime(CLOCK_REALTIME, clock);
      const nowMs = milliseconds(clockView, 0);
      let ready: number;
      // More sockets than event slots: the rest is reported again, but a poll does not loop for ever.
      let rounds = 0;
      do {
        ready = calls.epollWait(epoll, events, EVENTS, 0);
        for (let e = 0; e < ready; e++) {
          const data = eventView.getUint32(e * EVENT_BYTES + EVENT_DATA, true);
          const fd = eventView.getUint32(e * EVENT_BYTES + EVENT_DATA + 4, true);
          readSocket(fd, data >>> 1, (data & 1) === 0 ? receive : receiveReport, nowMs);
        }
      } while (ready === EVENTS && ++rounds < 8);
    },
  };

  function readSocket(fd: number, leg: number, hand: LegSocketsOptions['receive'], nowMs: number): void {
    const { view } = batch;
    for (let m = 0; m < BATCH; m++) {
      view.setUint32(m * MESSAGE_BYTES + 8, ADDRESS_BYTES, true);
      view.setUint32(m * MESSAGE_BYTES + 40, CONTROL_BYTES, true);
    }
    const count = calls.recvmmsg(fd, batch.pointer, BATCH, MSG_DONTWAIT, null);
    for (let m = 0; m < count; m++) {
      const length = view.getUint32(m * MESSAGE_BYTES + 56, true);
      const from = batch.addresses + m * ADDRESS_BYTES;
      const stamped = view.getUint32(m * MESSAGE_BYTES + 40, true) >= CONTROL_BYTES;
      const cameMs = stamped ? milliseconds(view, batch.controls + m * CONTROL_BYTES + 16) : nowMs;
      // A clock that was set meanwhile must not make packets look older than a stall could.
      const ageMs = Math.min(Math.max(0, nowMs - cameMs), 500);
      counters.received++;
      hand(leg, batch.packets[m]!, length, nameOf(view.getUint32(from + 4)), view.getUint16(from + 2), ageMs);
    }
  }
}

/** Message headers, their vectors, sender addresses and packets in one block of memory with a fixed address. */
function allocateBatch(calls: SystemCalls): {
  readonly pointer: unknown;
  readonly view: DataView;
  readonly addresses: number;
  readonly controls: number;
  readonly packets: readonly Uint8Array[];
} {
  const vectors = BATCH * MESSAGE_BYTES;
  const addresses = vectors + BATCH * 16;
  const controls = addresses + BATCH * ADDRESS_BYTES;
  const packets = controls + BATCH * CONTROL_BYTES;
  const { pointer, view, address } = calls.allocate(packets + BATCH * PACKET_BYTES);
  for (let m = 0; m < BATCH; m++) {
    const message = m * MESSAGE_BYTES;
    const vector = vectors + m * 16;
    const packet = packets + m * PACKET_BYTES;
    for (let i = 0; i < MESSAGE_BYTES; i++) view.setUint8(message + i, 0);
    view.setBigUint64(message, address + BigInt(addresses + m * ADDRESS_BYTES), true);
    view.setBigUint64(message + 16, address + BigInt(vector), true);
    view.setBigUint64(message + 24, 1n, true);
    view.setBigUint64(message + 32, address + BigInt(controls + m * CONTROL_BYTES), true);
    view.setBigUint64(vector, address + BigInt(packet), true);
    view.setBigUint64(vector + 8, BigInt(PACKET_BYTES), true);
  }
  return {
    pointer,
    view,
    addresses,
    controls,
    packets: Array.from(
      { length: BATCH },
      (_, m) => new Uint8Array(view.buffer, view.byteOffset + packets + m * PACKET_BYTES, PACKET_BYTES),
    ),
  };
}

/** A timespec: whole seconds and nanoseconds, both 64 bits; the seconds fit into 53. */
function milliseconds(view: DataView, at: number): number {
  const seconds = view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
  return seconds * 1000 + view.getUint32(at + 8, true) / 1e6;
}

/** Fills a sockaddr_in; false when the address is not IPv4. */
function writeAddress(into: Uint8Array, address: string, port: number): boolean {
  if (!isIPv4(address)) return false;
  into.fill(0);
  into[0] = AF_INET;
  into[2] = port >>> 8;
  into[3] = port;
  const parts = address.split('.');
  for (let i = 0; i < 4; i++) into[4 + i] = Number(parts[i]);
  return true;
}
