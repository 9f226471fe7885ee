import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import type { IceConnection } from '../webrtc/webrtc-legs.ts';
import { type IceTcpOptions, openIceTcp } from './ice-tcp.ts';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function browser(receive: IceTcpOptions['receive']): Promise<Socket> {
  const port = await freePort();
  const listener = await openIceTcp({ host: '127.0.0.1', port, receive, lost: () => {} });
  closers.push(() => listener.close());
  const socket = connect(port, '127.0.0.1');
  closers.push(() => socket.destroy());
  // With unread bytes a close is a reset (RFC 1122 §4.2.2.13).
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Frames of RFC 4571, each with four bytes: its serial number. */
function frames(count: number): Buffer {
  const bytes = Buffer.alloc(6 * count);
  for (let serial = 0; serial < count; serial++) {
    bytes.writeUInt16BE(4, 6 * serial);
    bytes.writeUInt32BE(serial, 6 * serial + 2);
  }
  return bytes;
}

const serialOf = (frame: Uint8Array): number => Buffer.from(frame).readUInt32BE();

describe('a TCP connection of a browser', () => {
  it('is closed after sixteen frames of a stranger', async () => {
    const serials: number[] = [];
    const stranger = await browser((_, frame) => serials.push(serialOf(frame)));
    stranger.write(frames(50_000));
    await new Promise((resolve) => stranger.once('close', resolve));
    assert.deepEqual(
      serials,
      Array.from({ length: 16 }, (_, serial) => serial),
    );
  });

  it('leaves each turn of the event loop to others when it sends without a pause, and loses no frame', async () => {
    const serials: number[] = [];
    let [inTurn, most] = [0, 0];
    let turn = setImmediate(function next() {
      inTurn = 0;
      turn = setImmediate(next);
    });
    closers.push(() => clearImmediate(turn));
    const all = 20_000;
    let done: () => void;
    const received = new Promise<void>((resolve) => {
      done = resolve;
    });
    const flooder = await browser((connection, frame) => {
      // As after an authentic check.
      connection.leg = {} as IceConnection['leg'];
      most = Math.max(most, ++inTurn);
      if (serials.push(serialOf(frame)) === all) done();
    });
    // In pieces that end inside of a frame.
    const bytes = frames(all);
    for (let at = 0; at < bytes.length; at += 10_007) flooder.write(bytes.subarray(at, at + 10_007));
    flooder.end();
    await received;
    assert.deepEqual(
      serials,
      Array.from({ length: all }, (_, serial) => serial),
    );
    // What was read before the counter of the test ran, and after it.
    assert.ok(most <= 64, `${most} frames in one turn`);
  });
});
