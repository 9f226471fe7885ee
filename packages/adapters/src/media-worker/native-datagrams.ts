import { createAddressNames } from './address-names.ts';
import { bindUdp } from './bind-udp.ts';
import { OutgoingBatch } from './outgoing-batch.ts';
import { PacketBatch } from './packet-batch.ts';
import { loadSystemCalls, MSG_DONTWAIT, type SystemCalls } from './system-calls.ts';

/** Datagrams of one read. */
const mostReceived = 64;
/** The length field of UDP has 16 bits. Pages of a slot beyond its longest datagram are never touched. */
const longestDatagram = 65_535;

/** A bound socket that reads and sends many datagrams with one system call; `DatagramBatches` of `@jackfield/sip/transport`. */
interface NativeDatagrams {
  readonly descriptor: number;
  receive(accept: (text: string, address: string, port: number) => void): number;
  add(text: string, address: string, port: number): boolean;
  readonly isFull: boolean;
  flush(refuse: (index: number) => void): void;
}

/**
 * Binds UDP sockets over IPv4 on plain system calls: node:dgram makes one call, one buffer of 64 KiB and several objects for each datagram.
 * Undefined where system calls do not work; the function returns undefined where the socket cannot be bound.
 */
export async function loadNativeDatagrams(): Promise<
  ((host: string, port: number) => NativeDatagrams | undefined) | undefined
> {
  const calls = await loadSystemCalls();
  if (calls === undefined) return undefined;
  return (host, port) => {
    const ip = createAddressNames().numberOf(host);
    if (ip === undefined) return undefined;
    try {
      return datagramsOf(calls, bindUdp(calls, ip, port));
    } catch {
      // node:dgram fails as well, with the code of the system.
      return undefined;
    }
  };
}

function datagramsOf(calls: SystemCalls, descriptor: number): NativeDatagrams {
  const names = createAddressNames();
  const slots = Array.from({ length: mostReceived }, () => Buffer.alloc(longestDatagram));
  const incoming = new PacketBatch(calls, slots);
  const outgoing = new OutgoingBatch(calls);
  return {
    descriptor,
    receive(accept) {
      incoming.prepare();
      const count = calls.recvmmsg(descriptor, incoming.pointer, mostReceived, MSG_DONTWAIT, null);
      for (let at = 0; at < count; at++) {
        const text = slots[at]!.toString('latin1', 0, incoming.lengthOf(at));
        accept(text, names.nameOf(incoming.ipOf(at)), incoming.portOf(at));
      }
      return Math.max(0, count);
    },
    add(text, address, port) {
      const ip = names.numberOf(address);
      return ip !== undefined && outgoing.addText(text, ip, port);
    },
    get isFull() {
      return outgoing.isFull;
    },
    flush(refuse) {
      outgoing.flush(descriptor, MSG_DONTWAIT, refuse);
    },
  };
}
