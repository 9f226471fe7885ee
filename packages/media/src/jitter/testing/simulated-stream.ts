import type { AudioCodec } from '../../codec/audio-codec.ts';
import { pcmu } from '../../codec/g711.ts';
import { createRtpHeader, readRtpPacket, writeRtpHeader } from '../../rtp/rtp-packet.ts';
import { createJitterBuffer } from '../create-jitter-buffer.ts';
import type { JitterBuffer, JitterBufferOptions } from '../jitter-buffer.ts';

/** A sender, a network and a 20 ms tick for tests of the jitter buffer; times in ms from the first tick. */
export interface SimulatedStream {
  readonly packets: number;
  readonly packetMs?: number;
  /** When packet 0 is complete. */
  readonly phaseMs?: number;
  /** Excess speed of the sender's clock, in parts per million. */
  readonly ppm?: number;
  readonly sequenceNumber?: number;
  readonly timestamp?: number;
  readonly ssrc?: number;
  readonly codec?: AudioCodec;
  readonly payloadType?: number;
  /** The sender's sample by its index; default a tone of 1 kHz at −10 dBFS. */
  readonly sample?: (index: number) => number;
  /** Delay of packet i, or undefined for a lost one; default 0. */
  readonly delayMs?: (packet: number) => number | undefined;
  readonly isDuplicate?: (packet: number) => boolean;
  /** Edits a packet before it is sent, for example its header. */
  readonly edit?: (bytes: Uint8Array, packet: number) => void;
}

/** The result of playing a stream. */
export interface PlayedStream {
  readonly pcm: Int16Array;
  /** One code of `taken` per frame. */
  readonly codes: readonly number[];
  readonly buffer: JitterBuffer;
  readonly depthsMs: readonly number[];
  readonly tickMs: readonly number[];
}

/** 1 kHz at about −10 dBFS. */
export const tone = (index: number): number => Math.round(10_000 * Math.sin((Math.PI * index) / 4));

/** The packets of a stream with their arrival times. */
export function packetsOf(stream: SimulatedStream): { readonly atMs: number; readonly bytes: Uint8Array }[] {
  const { packets, packetMs = 20, phaseMs = 5, ppm = 0, codec = pcmu, sample = tone } = stream;
  const count = packetMs * 8;
  const samples = new Int16Array(count);
  const sent: { atMs: number; bytes: Uint8Array }[] = [];
  for (let i = 0; i < packets; i++) {
    const delay = stream.delayMs === undefined ? 0 : stream.delayMs(i);
    if (delay === undefined) continue;
    for (let k = 0; k < count; k++) samples[k] = sample(i * count + k);
    const bytes = new Uint8Array(12 + count);
    writeRtpHeader(
      bytes,
      stream.payloadType ?? 0,
      i === 0,
      ((stream.sequenceNumber ?? 0) + i) & 0xffff,
      ((stream.timestamp ?? 0) + i * count) >>> 0,
      stream.ssrc ?? 1,
    );
    codec.encode(samples, count, bytes, 12);
    stream.edit?.(bytes, i);
    const atMs = phaseMs + i * packetMs * (1 - ppm / 1e6) + delay;
    sent.push({ atMs, bytes });
    if (stream.isDuplicate?.(i)) sent.push({ atMs: atMs + 1, bytes });
  }
  return sent.sort((a, b) => a.atMs - b.atMs);
}

/** Plays packets through a jitter buffer, with a `take` every 20 ms, for `ticks` frames. */
export function play(
  packets: readonly { readonly atMs: number; readonly bytes: Uint8Array }[],
  ticks: number,
  options: Partial<JitterBufferOptions> = {},
): PlayedStream {
  const buffer = createJitterBuffer({
    clockRate: 8000,
    frameSamples: 160,
    payloads: [{ payloadType: 0, codec: pcmu }],
    ...options,
  });
  const header = createRtpHeader();
  const frame = new Int16Array(160);
  const pcm = new Int16Array(ticks * 160);
  const codes: number[] = [];
  const depthsMs: number[] = [];
  const tickMs: number[] = [];
  let next = 0;
  for (let tick = 0; tick < ticks; tick++) {
    const nowMs = tick * 20;
    for (; next < packets.length && packets[next]!.atMs <= nowMs; next++) {
      const { bytes, atMs } = packets[next]!;
      if (readRtpPacket(bytes, bytes.length, header)) buffer.put(header, bytes, atMs);
    }
    codes.push(buffer.take(frame, nowMs));
    pcm.set(frame, tick * 160);
    depthsMs.push(buffer.depthMs);
    tickMs.push(nowMs);
  }
  return { pcm, codes, buffer, depthsMs, tickMs };
}

/** `play` for the length of the stream. */
export function playStream(
  stream: SimulatedStream,
  options: Partial<JitterBufferOptions> = {},
): PlayedStream {
  const ticks = Math.floor((stream.packets * (stream.packetMs ?? 20) + (stream.phaseMs ?? 5)) / 20);
  return play(packetsOf(stream), ticks, options);
}
