import koffi from 'koffi';

/**
 * A UDP socket for Linux that sends and receives many datagrams per system call, so that a load generator fits on one
 * core.
 */
export interface BatchSocket {
  readonly port: number;
  /** The buffer of the n-th datagram to be sent. */
  slot(index: number): DataView;
  /** Sends the first `count` slots, each to the 127.0.0.1 port at the same index of `ports`. */
  send(count: number, bytes: number, ports: Uint16Array): void;
  /** Calls `take` with each received datagram and its source port. */
  receive(take: (fromPort: number, view: DataView, offset: number, length: number) => void): void;
  close(): void;
}

export const batchSize = 64;

// Structures of 64-bit Linux: mmsghdr, iovec and sockaddr_in one after another, then the datagrams.
const messageBytes = 64;
const vectorBytes = 16;
const addressBytes = 16;
const datagramBytes = 2048;
const ipv4 = 2;
const datagramNonBlocking = 2 | 0x800;
const doNotWait = 0x40;
const socketLevel = 1;
const [sendBuffer, receiveBuffer] = [7, 8];
const requestedBuffer = 8 * 1024 * 1024;

export function openBatchSocket(port: number): BatchSocket {
  const libc = koffi.load('libc.so.6');
  const socket = libc.func('int socket(int, int, int)');
  const bind = libc.func('int bind(int, void *, uint32_t)');
  const close = libc.func('int close(int)');
  const setOption = libc.func('int setsockopt(int, int, int, void *, uint32_t)');
  const sendmmsg = libc.func('int sendmmsg(int, void *, uint32_t, int)');
  const recvmmsg = libc.func('int recvmmsg(int, void *, uint32_t, int, void *)');

  const fd = socket(ipv4, datagramNonBlocking, 0) as number;
  const sizeOption = new Uint8Array(new Uint32Array([requestedBuffer]).buffer);
  for (const option of [sendBuffer, receiveBuffer]) setOption(fd, socketLevel, option, sizeOption, 4);
  const own = new Uint8Array(addressBytes);
  writeAddress(new DataView(own.buffer), 0, port);
  if (bind(fd, own, addressBytes) !== 0) throw new Error(`port ${port} cannot be bound`);
  const outgoing = createBatch();
  const incoming = createBatch();

  return {
    port,
    slot: (index) => outgoing.slots[index]!,
    send(count, bytes, ports) {
      for (let index = 0; index < count; index++) {
        writeAddress(outgoing.view, outgoing.addressAt(index), ports[index]!);
        outgoing.view.setBigUint64(outgoing.vectorAt(index) + 8, BigInt(bytes), true);
      }
      let sent = 0;
      while (sent < count) {
        const done = sendmmsg(fd, outgoing.pointerTo(sent), count - sent, doNotWait) as number;
        if (done <= 0) throw new Error('sendmmsg failed: the send buffer is full or the network is down');
        sent += done;
      }
    },
    receive(take) {
      const { view } = incoming;
      for (;;) {
        for (let index = 0; index < batchSize; index++) {
          view.setUint32(index * messageBytes + 8, addressBytes, true);
        }
        const count = recvmmsg(fd, incoming.pointerTo(0), batchSize, doNotWait, null) as number;
        for (let index = 0; index < count; index++) {
          const length = view.getUint32(index * messageBytes + 56, true);
          take(view.getUint16(incoming.addressAt(index) + 2), view, incoming.datagramAt(index), length);
        }
        if (count < batchSize) return;
      }
    },
    close: () => void close(fd),
  };
}

function createBatch() {
  const bytes = batchSize * (messageBytes + vectorBytes + addressBytes + datagramBytes);
  const pointer: unknown = koffi.alloc('uint8_t', bytes);
  const start = BigInt(koffi.address(pointer));
  const view = new DataView(koffi.view(pointer, bytes));
  const vectorAt = (index: number) => batchSize * messageBytes + index * vectorBytes;
  const addressAt = (index: number) => vectorAt(batchSize) + index * addressBytes;
  const datagramAt = (index: number) => addressAt(batchSize) + index * datagramBytes;
  for (let at = 0; at < addressAt(0); at++) view.setUint8(at, 0);
  for (let index = 0; index < batchSize; index++) {
    const message = index * messageBytes;
    view.setBigUint64(message, start + BigInt(addressAt(index)), true);
    view.setUint32(message + 8, addressBytes, true);
    view.setBigUint64(message + 16, start + BigInt(vectorAt(index)), true);
    view.setBigUint64(message + 24, 1n, true);
    view.setBigUint64(vectorAt(index), start + BigInt(datagramAt(index)), true);
    view.setBigUint64(vectorAt(index) + 8, BigInt(datagramBytes), true);
  }
  const slots = Array.from(
    { length: batchSize },
    (_, index) => new DataView(view.buffer, view.byteOffset + datagramAt(index), datagramBytes),
  );
  // koffi accepts an address as a number for a pointer.
  const pointerTo = (index: number): bigint => start + BigInt(index * messageBytes);
  return { view, slots, vectorAt, addressAt, datagramAt, pointerTo, pointer };
}

function writeAddress(view: DataView, at: number, port: number): void {
  view.setUint16(at, ipv4, true);
  view.setUint16(at + 2, port);
  view.setUint32(at + 4, 0x7f000001);
}
