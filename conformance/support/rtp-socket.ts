import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { toMulaw } from '@jackfield/stream-kit';
import { patienceMs } from './patience.ts';

/** One packet of RTP as it came: RFC 3550 §5.1. */
export interface HeardPacket {
  readonly at: number;
  readonly payloadType: number;
  /** In samples, from a random first one. */
  readonly timestamp: number;
  readonly payload: Uint8Array;
  readonly from: RemoteInfo;
}

const frameMs = 20;
const frameSamples = 160;

/** The audio of a scripted phone: keeps what it receives, and speaks a tone as PCMU on request. */
export class RtpSocket {
  readonly heard: HeardPacket[] = [];
  readonly port: number;
  readonly #socket: Socket;
  readonly #ssrc = Math.floor(Math.random() * 2 ** 32);
  #sequence = Math.floor(Math.random() * 2 ** 15);
  #timestamp = Math.floor(Math.random() * 2 ** 31);
  #speaking: NodeJS.Timeout | undefined;
  #spoken = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.port = socket.address().port;
    socket.on('message', (bytes, from) => {
      if (bytes.length < 12 || bytes[0]! >> 6 !== 2) return;
      this.heard.push({
        at: Date.now(),
        payloadType: bytes[1]! & 0x7f,
        timestamp: bytes.readUInt32BE(4),
        payload: bytes.subarray(12),
        from,
      });
    });
  }

  static async open(address = '127.0.0.1'): Promise<RtpSocket> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(0, address, resolve);
    });
    return new RtpSocket(socket);
  }

  /** Resolves with the source of the first packet, the target of its own audio. */
  async peer(): Promise<number> {
    await this.received(1);
    return this.heard[0]!.from.port;
  }

  /** Resolves when this many packets have come in all. */
  received(packets: number): Promise<void> {
    return countedTo(packets, 'packets of RTP came', () => this.heard.length);
  }

  /** Resolves when this many frames of its tone have left: on a busy machine that takes longer than their time. */
  spoken(frames: number): Promise<void> {
    return countedTo(frames, 'frames of the tone left', () => this.#spoken);
  }

  /** Packets that came between two instants. */
  between(from: number, to: number): readonly HeardPacket[] {
    return this.heard.filter(({ at }) => at >= from && at < to);
  }

  speak(toneHz: number, port: number): void {
    let position = 0;
    this.#speaking = setInterval(() => {
      const samples = new Int16Array(frameSamples);
      for (let index = 0; index < frameSamples; index++, position++) {
        samples[index] = 16_000 * Math.sin((2 * Math.PI * toneHz * position) / 8000);
      }
      this.send(port, 0, toMulaw(samples));
      this.#spoken++;
      this.#timestamp += frameSamples;
    }, frameMs);
  }

  /** A key of 100 ms: updates, then the end three times (RFC 4733 §2.5.1.4), all with one timestamp. */
  async press(event: number, port: number): Promise<void> {
    const timestamp = this.#timestamp;
    for (const [duration, isEnd] of [
      [160, 0],
      [480, 0],
      [800, 0x80],
      [800, 0x80],
      [800, 0x80],
    ] as const) {
      this.send(port, 101, Uint8Array.of(event, isEnd | 10, duration >> 8, duration & 255), timestamp);
      await new Promise((resolve) => setTimeout(resolve, frameMs));
    }
    this.#timestamp = Math.max(this.#timestamp, timestamp + 800);
  }

  send(port: number, payloadType: number, payload: Uint8Array, timestamp = this.#timestamp): void {
    const packet = Buffer.alloc(12 + payload.length);
    packet[0] = 0x80;
    packet[1] = payloadType;
    packet.writeUInt16BE(this.#sequence++ & 0xffff, 2);
    packet.writeUInt32BE(timestamp >>> 0, 4);
    packet.writeUInt32BE(this.#ssrc, 8);
    packet.set(payload, 12);
    this.#socket.send(packet, port, '127.0.0.1');
  }

  /** Stops sending, as a phone that suppresses silence; it goes on listening. */
  fallSilent(): void {
    clearInterval(this.#speaking);
  }

  close(): void {
    this.fallSilent();
    this.#socket.close();
  }
}

async function countedTo(most: number, what: string, count: () => number): Promise<void> {
  const limit = Date.now() + patienceMs;
  while (count() < most) {
    if (Date.now() > limit) throw new Error(`${count()} ${what}, not ${most}`);
    await new Promise((resolve) => setTimeout(resolve, frameMs));
  }
}
