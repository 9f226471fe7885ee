import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { codecFor, createRtpHeader, createRtpSender, readRtpPacket } from '@jackfield/media';
import type { AgreedMedia } from '@jackfield/ports';

const pcmu = codecFor('PCMU')!;

/** A phone on loopback: sends one tone every 20 ms and keeps the audio that it receives. */
export interface LoopbackPhone {
  readonly port: number;
  /** Resolves with the next `frames` × 20 ms that arrive. */
  hear(frames: number): Promise<Int16Array>;
  /** Keys that were sent to it (RFC 4733). */
  readonly keys: readonly number[];
  sendPayload(payloadType: number, payload: Uint8Array): void;
  close(): void;
}

export async function createPhone(frequencyHz: number, enginePort: number): Promise<LoopbackPhone> {
  const socket: Socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const rtp = createRtpSender({ ssrc: enginePort, sequenceNumber: 1, timestamp: 1 });
  const header = createRtpHeader();
  const frame = new Int16Array(160);
  let position = 0;
  let requested = 0;
  let heard: number[] = [];
  const keys: number[] = [];
  let done: ((samples: Int16Array) => void) | undefined;
  const timer = setInterval(() => {
    for (let i = 0; i < 160; i++) frame[i] = 8000 * Math.sin((2 * Math.PI * frequencyHz * position++) / 8000);
    const length = rtp.writeAudio(pcmu, 0, frame, 160);
    socket.send(rtp.packet.slice(0, length), enginePort, '127.0.0.1');
  }, 20);
  socket.on('message', (bytes) => {
    if (!readRtpPacket(bytes, bytes.length, header)) return;
    if (header.payloadType === 101 && header.marker) keys.push(bytes[header.payloadOffset]!);
    if (done === undefined || header.payloadType !== 0) return;
    const samples = new Int16Array(header.payloadLength);
    pcmu.decode(bytes, header.payloadOffset, header.payloadLength, samples);
    heard.push(...samples);
    if (heard.length < requested) return;
    done(Int16Array.from(heard.slice(0, requested)));
    done = undefined;
  });
  return {
    keys,
    port: socket.address().port,
    hear: (frames) =>
      new Promise((resolve) => {
        heard = [];
        requested = frames * 160;
        done = resolve;
      }),
    sendPayload(payloadType, payload) {
      const length = rtp.writePayload(payloadType, payload, 0, payload.length, 0);
      socket.send(rtp.packet.slice(0, length), enginePort, '127.0.0.1');
    },
    close() {
      clearInterval(timer);
      socket.close();
    },
  };
}

export function agreedWith(phone: LoopbackPhone): AgreedMedia {
  return {
    address: '127.0.0.1',
    port: phone.port,
    codec: 'PCMU',
    payloadType: 0,
    telephoneEventPayloadType: 101,
    direction: 'sendrecv',
    ptimeMs: 20,
  };
}
