import { isIPv4 } from 'node:net';
import {
  createPortRange,
  type LegSockets,
  type LegSocketsOptions,
  type MovedSockets,
  NoPortLeftError,
  type OpenLegSockets,
  openDgramSockets,
  type PortRange,
  type ReceivePacket,
} from '@jackfield/media/io';
import { createAddressNames } from './address-names.ts';
import { bindStampedUdp } from './bind-udp.ts';
import { batchSize, mediaPackets, milliseconds, PacketBatch } from './packet-batch.ts';
import { ADDRESS_BYTES, writeSocketAddress } from './socket-address.ts';
import { loadSystemCalls, MSG_DONTWAIT, type SystemCalls } from './system-calls.ts';
import { createThreadWait } from './thread-wait.ts';

/*
 * Linux, 64 bits, little-endian:
 *
 *   epoll_event:         0 events  4 data on x64 (12 bytes, packed)  8 data on arm64 (16 bytes)
 */
const EPOLL_CLOEXEC = 0x80000;
const EPOLL_CTL_ADD = 1;
const EPOLL_CTL_DEL = 2;
const EPOLLIN = 1;
const CLOCK_REALTIME = 0;
const EVENT_BYTES = process.arch === 'x64' ? 12 : 16;
const EVENT_DATA = process.arch === 'x64' ? 4 : 8;

const EVENTS = 1024;
/** After a stall of this length, the packets of each socket are read to the end, up to this many times a batch. */
const STALL_MS = 100;
const MOST_BATCHES = 8;
/** A clock that was set meanwhile must not make packets look older than a stall could. */
const OLDEST_MS = 500;

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
  return (options) => {
    if (!isIPv4(options.host)) return openDgramSockets(options);
    const sockets = new NativeSockets(calls, options);
    const { counters, pollsPerTick } = sockets;
    const wait = createThreadWait(calls);
    return {
      counters,
      pollsPerTick,
      open: async (leg) => sockets.open(leg),
      send: (leg, bytes, length, address, port) => sockets.send(leg, bytes, length, address, port),
      sendReport: (leg, bytes, length, address, port) =>
        sockets.sendReport(leg, bytes, length, address, port),
      close: async (leg) => sockets.close(leg),
      release: async (leg) => sockets.release(leg),
      // Synchronous, so that no other message of the thread comes between.
      adopt: async (leg, moved) => sockets.adopt(leg, moved),
      discard: (moved) => sockets.discard(moved),
      freePort: (port) => sockets.freePort(port),
      pollDescriptor: sockets.pollDescriptor,
      poll: () => sockets.poll(),
      ...(wait === undefined ? {} : { wait }),
      end: () => sockets.end(),
    } satisfies LegSockets;
  };
}

class NativeSockets {
  readonly counters = { sockets: 0, sent: 0, received: 0, sendErrors: 0 };
  // Each tick polls as well; one more poll halves its backlog and keeps RTCP round trips accurate.
  readonly pollsPerTick = 1;
  readonly #calls: SystemCalls;
  readonly #options: LegSocketsOptions;
  readonly #range: PortRange;
  readonly #pairs = new Map<number, Pair>();
  readonly #epoll: number;
  /** Arrays for system calls are reused, as in bind-udp.ts; the targets by leg. */
  readonly #event = new Uint8Array(EVENT_BYTES);
  readonly #newEvent = new DataView(this.#event.buffer);
  readonly #targets: Uint8Array[] = [];
  readonly #events = new Uint8Array(EVENT_BYTES * EVENTS);
  readonly #eventView = new DataView(this.#events.buffer);
  readonly #batch: PacketBatch;
  readonly #names = createAddressNames();
  readonly #clock = new Uint8Array(16);
  readonly #clockView = new DataView(this.#clock.buffer);
  #polledMs = 0;
  readonly #reportTarget = new Uint8Array(ADDRESS_BYTES);

  constructor(calls: SystemCalls, options: LegSocketsOptions) {
    this.#calls = calls;
    this.#options = options;
    this.#range = createPortRange(options.ports.first, options.ports.last);
    this.#epoll = calls.epollCreate(EPOLL_CLOEXEC);
    this.#batch = new PacketBatch(calls, mediaPackets(batchSize));
  }

  open(leg: number): number {
    for (let tries = 0; tries < this.#range.pairs; tries++) {
      const port = this.#range.take();
      if (port === undefined) break;
      const rtp = this.#bind(port);
      const rtcp = rtp < 0 ? -1 : this.#bind(port + 1);
      if (rtp >= 0 && rtcp >= 0) {
        this.#add(leg, port, rtp, rtcp);
        return port;
      }
      if (rtp >= 0) this.#shut(rtp);
      this.#range.release(port);
    }
    const { first, last } = this.#options.ports;
    throw new NoPortLeftError(first, last);
  }

  send(leg: number, bytes: Uint8Array, length: number, address: string, port: number): void {
    const pair = this.#pairs.get(leg);
    if (pair === undefined) return;
    if (pair.toPort !== port || pair.toAddress !== address) {
      const ip = this.#names.numberOf(address);
      if (ip === undefined) {
        this.counters.sendErrors++;
        return;
      }
      writeSocketAddress(pair.target, ip, port);
      pair.toAddress = address;
      pair.toPort = port;
    }
    this.counters.sent++;
    this.#transmit(pair.rtp, bytes, length, pair.target);
  }

  sendReport(leg: number, bytes: Uint8Array, length: number, address: string, port: number): void {
    const pair = this.#pairs.get(leg);
    if (pair === undefined) return;
    const ip = this.#names.numberOf(address);
    if (ip === undefined) {
      this.counters.sendErrors++;
      return;
    }
    writeSocketAddress(this.#reportTarget, ip, port);
    this.#transmit(pair.rtcp, bytes, length, this.#reportTarget);
  }

  close(leg: number): void {
    const pair = this.#pairs.get(leg);
    if (pair === undefined) return;
    this.#pairs.delete(leg);
    this.#shut(pair.rtp);
    this.#shut(pair.rtcp);
    this.#range.release(pair.port);
  }

  /** The descriptors stay open, and packets that arrive meanwhile wait in them. */
  release(leg: number): MovedSockets | undefined {
    const pair = this.#pairs.get(leg);
    if (pair === undefined) return undefined;
    this.#pairs.delete(leg);
    const { port, rtp, rtcp } = pair;
    for (const fd of [rtp, rtcp]) {
      this.#calls.epollControl(this.#epoll, EPOLL_CTL_DEL, fd, this.#event);
      this.counters.sockets--;
    }
    return { port, descriptors: [rtp, rtcp] };
  }

  adopt(leg: number, { port, descriptors }: MovedSockets): void {
    if (descriptors === undefined) throw new NoPortLeftError(port, port + 1);
    this.counters.sockets += descriptors.length;
    const [rtp, rtcp] = descriptors;
    this.#add(leg, port, rtp, rtcp);
  }

  discard({ descriptors }: MovedSockets): void {
    for (const fd of descriptors ?? []) this.#calls.close(fd);
  }

  freePort(port: number): void {
    this.#range.release(port);
  }

  get pollDescriptor(): number {
    return this.#epoll;
  }

  poll(): void {
    // Without a socket no system call is needed.
    if (this.#pairs.size === 0) return;
    const { receive, receiveReport } = this.#options;
    this.#calls.clockGetTime(CLOCK_REALTIME, this.#clock);
    const nowMs = milliseconds(this.#clockView, 0);
    // A flood must not occupy the thread, so each socket gets one batch a poll, except after a stall.
    const batches = nowMs - this.#polledMs > STALL_MS ? MOST_BATCHES : 1;
    this.#polledMs = nowMs;
    let ready: number;
    // With more sockets than event slots the rest is reported again, but a poll must not loop forever.
    let rounds = 0;
    do {
      ready = this.#calls.epollWait(this.#epoll, this.#events, EVENTS, 0);
      for (let e = 0; e < ready; e++) {
        const data = this.#eventView.getUint32(e * EVENT_BYTES + EVENT_DATA, true);
        const fd = this.#eventView.getUint32(e * EVENT_BYTES + EVENT_DATA + 4, true);
        this.#read(fd, data >>> 1, (data & 1) === 0 ? receive : receiveReport, nowMs, batches);
      }
    } while (ready === EVENTS && ++rounds < 8);
  }

  end(): void {
    this.#calls.close(this.#epoll);
  }

  #bind(port: number): number {
    let fd: number;
    try {
      fd = bindStampedUdp(this.#calls, this.#names.numberOf(this.#options.host)!, port);
    } catch {
      // Another program uses the port.
      return -1;
    }
    this.counters.sockets++;
    return fd;
  }

  #add(leg: number, port: number, rtp: number, rtcp: number): void {
    this.#watch(rtp, leg, false);
    this.#watch(rtcp, leg, true);
    this.#targets[leg] ??= new Uint8Array(ADDRESS_BYTES);
    const target = this.#targets[leg];
    this.#pairs.set(leg, { port, rtp, rtcp, target, toAddress: '', toPort: 0 });
  }

  #watch(fd: number, leg: number, isReport: boolean): void {
    const view = this.#newEvent;
    view.setUint32(0, EPOLLIN, true);
    view.setUint32(EVENT_DATA, leg * 2 + (isReport ? 1 : 0), true);
    view.setUint32(EVENT_DATA + 4, fd, true);
    this.#calls.epollControl(this.#epoll, EPOLL_CTL_ADD, fd, this.#event);
  }

  #shut(fd: number): void {
    // Closing removes the descriptor from the epoll set as well.
    this.#calls.close(fd);
    this.counters.sockets--;
  }

  #transmit(fd: number, bytes: Uint8Array, length: number, target: Uint8Array): void {
    if (this.#calls.sendto(fd, bytes, length, MSG_DONTWAIT, target, ADDRESS_BYTES) < 0)
      this.counters.sendErrors++;
  }

  #read(fd: number, leg: number, hand: ReceivePacket, nowMs: number, batches: number): void {
    for (let read = 0; read < batches; read++) if (this.#readBatch(fd, leg, hand, nowMs) < batchSize) return;
  }

  #readBatch(fd: number, leg: number, hand: ReceivePacket, nowMs: number): number {
    const batch = this.#batch;
    batch.prepare();
    const count = this.#calls.recvmmsg(fd, batch.pointer, batchSize, MSG_DONTWAIT, null);
    for (let m = 0; m < count; m++) {
      const ageMs = Math.min(Math.max(0, nowMs - (batch.cameMs(m) ?? nowMs)), OLDEST_MS);
      this.counters.received++;
      hand(
        leg,
        batch.packets[m]!,
        batch.lengthOf(m),
        this.#names.nameOf(batch.ipOf(m)),
        batch.portOf(m),
        ageMs,
      );
    }
    return count;
  }
}
