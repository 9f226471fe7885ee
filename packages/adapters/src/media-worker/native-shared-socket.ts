import { isIPv4 } from 'node:net';
import { type OpenSharedSocket, openDgramSharedSocket, type SharedSocket } from '@jackfield/media/io';
import { createAddressNames } from './address-names.ts';
import { bindStampedUdp } from './bind-udp.ts';
import { OutgoingBatch } from './outgoing-batch.ts';
import { mediaPackets, milliseconds, PacketBatch } from './packet-batch.ts';
import { loadSystemCalls, MSG_DONTWAIT, SOL_SOCKET, type SystemCalls } from './system-calls.ts';

const SO_RCVBUF = 8;
const CLOCK_REALTIME = 0;

/** One read of the shared port: 64 packets are 160 ms of eight calls. */
const packetsPerRead = 64;
/**
 * Reads of one poll. With 400 polls a second these are 100,000 packets a second, more than a core decrypts. The kernel drops the rest of a
 * flood, so that other legs are served.
 */
const mostReads = 4;
/** All legs share one queue in the kernel; its usual size is 50 packets of one leg. */
const receiveBufferBytes = 4 * 1024 * 1024;
/** A clock that was set meanwhile must not make packets look older than a stall could. */
const OLDEST_MS = 500;

/** A shared socket on plain system calls, with one call for many packets each way. Undefined where they do not work. */
export async function openNativeSharedSocket(): Promise<OpenSharedSocket | undefined> {
  const calls = await loadSystemCalls();
  if (calls === undefined) return undefined;
  return async (options) => {
    if (!isIPv4(options.host)) return openDgramSharedSocket(options);
    return openSocket(calls, options);
  };
}

function openSocket(
  calls: SystemCalls,
  { host, port, receive }: Parameters<OpenSharedSocket>[0],
): SharedSocket {
  const names = createAddressNames();
  const fd = bindStampedUdp(calls, names.numberOf(host)!, port);
  const sizeOption = new Uint8Array(Uint32Array.of(receiveBufferBytes).buffer);
  calls.setSocketOption(fd, SOL_SOCKET, SO_RCVBUF, sizeOption, sizeOption.length);
  const incoming = new PacketBatch(calls, mediaPackets(packetsPerRead));
  const outgoing = new OutgoingBatch(calls);
  const counters = { sockets: 1, sent: 0, received: 0, sendErrors: 0 };
  const clock = new Uint8Array(16);
  const clockView = new DataView(clock.buffer);
  const flush = (): void => {
    counters.sendErrors += outgoing.flush(fd, MSG_DONTWAIT);
  };
  return {
    port,
    counters,
    flush,
    send(bytes, length, address, to) {
      const ip = names.numberOf(address);
      if (ip === undefined || counters.sockets === 0) {
        counters.sendErrors++;
        return;
      }
      counters.sent++;
      outgoing.add(bytes, length, ip, to);
      if (outgoing.isFull) flush();
    },
    poll() {
      if (counters.sockets === 0) return;
      let nowMs = 0;
      for (let read = 0; read < mostReads; read++) {
        incoming.prepare();
        const count = calls.recvmmsg(fd, incoming.pointer, packetsPerRead, MSG_DONTWAIT, null);
        if (count > 0 && nowMs === 0) {
          calls.clockGetTime(CLOCK_REALTIME, clock);
          nowMs = milliseconds(clockView, 0);
        }
        for (let m = 0; m < count; m++) {
          const ageMs = Math.min(Math.max(0, nowMs - (incoming.cameMs(m) ?? nowMs)), OLDEST_MS);
          counters.received++;
          const from = names.nameOf(incoming.ipOf(m));
          receive(incoming.packets[m]!, incoming.lengthOf(m), from, incoming.portOf(m), ageMs);
        }
        if (count < packetsPerRead) return;
      }
    },
    close() {
      if (counters.sockets === 0) return;
      flush();
      counters.sockets = 0;
      calls.close(fd);
    },
  };
}
