import { setImmediate as nextTurn } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { servePart } from '../part.ts';
import { type BatchSocket, openBatchSocket } from './batch-socket.ts';

export interface PeerStart {
  readonly port: number;
  readonly serverPort: number;
}

export interface PeerRun {
  readonly ports: readonly number[];
  readonly seconds: number;
  /** Measurements before this time are dropped, because both ends are still compiling. */
  readonly settleSeconds: number;
}

export interface PeerOutcome {
  /** From an RTP packet with a pulse to its frame at the server. */
  readonly toSocketMs: readonly number[];
  /** Pulses that did not arrive within a second, because the machine was too busy for their packet. */
  readonly pulsesLost: number;
  /** From playAudio to the first packet with its audio. */
  readonly toPhoneMs: readonly number[];
  /** From clearAudio to the last packet with audio; 0 when there was none. */
  readonly toSilenceMs: readonly number[];
}

/**
 * Phones and the server of their streams in one process, so that one clock sees both ends; few enough not to be late
 * themselves.
 */
servePart({
  async start({ port, serverPort }: PeerStart) {
    socket = openBatchSocket(port);
    server = new WebSocketServer({ port: serverPort, host: '127.0.0.1' });
    server.on('connection', (each, request) => take(each, Number(request.url!.slice(1))));
    await new Promise((resolve) => server!.once('listening', resolve));
  },
  run,
  stop() {
    socket?.close();
    server?.close();
  },
});

interface Line {
  ws: WebSocket | undefined;
  sequence: number;
  /** Send time of the pulse under way; 0 without one. */
  pulsedMs: number;
  playedMs: number;
  clearedMs: number;
  soundedMs: number;
}

const headerBytes = 12;
const payloadBytes = 160;
// µ-law: silence, and full scale; linear: the decoded full scale.
const [quiet, loud] = [0xff, 0x80];
/** Time after which streams have found their phase. */
const beginMs = 3000;
const lostMs = 1000;
let socket: BatchSocket | undefined;
let server: WebSocketServer | undefined;
const nothingYet = () => ({
  toSocketMs: [] as number[],
  pulsesLost: 0,
  toPhoneMs: [] as number[],
  toSilenceMs: [] as number[],
});
let outcome = nothingYet();
const lines: Line[] = [];

function lineOf(index: number): Line {
  lines[index] ??= { ws: undefined, sequence: 0, pulsedMs: 0, playedMs: 0, clearedMs: 0, soundedMs: 0 };
  return lines[index];
}

function take(ws: WebSocket, index: number): void {
  const line = lineOf(index);
  line.ws = ws;
  ws.on('message', (data: Buffer) => {
    if (line.pulsedMs === 0 || data.length < 300) return;
    const now = performance.now();
    const { media } = JSON.parse(data.toString('utf8'));
    if (media?.track !== 'inbound') return;
    const samples = Buffer.from(media.payload, 'base64');
    for (let at = 0; at < samples.length; at += 2) {
      if (Math.abs(samples.readInt16LE(at)) < 4000) continue;
      outcome.toSocketMs.push(now - line.pulsedMs);
      line.pulsedMs = 0;
      return;
    }
  });
}

/** Prepared once, because work in this process delays its measurements. */
const playAudio = (() => {
  const tone = Buffer.alloc(16_000);
  for (let i = 0; i < tone.length / 2; i++) tone.writeInt16LE(i % 8 < 4 ? 12_000 : -12_000, 2 * i);
  const media = { contentType: 'audio/x-l16', sampleRate: 8000, payload: tone.toString('base64') };
  return Buffer.from(JSON.stringify({ event: 'playAudio', media }));
})();

function play(line: Line, now: number): void {
  line.playedMs = now;
  line.ws!.send(playAudio, { binary: false });
}

function hear(line: Line, view: DataView, offset: number, length: number, now: number): void {
  let sounds = false;
  for (let i = headerBytes; i < length; i++) {
    // Above −24 dBFS.
    if ((view.getUint8(offset + i) & 0x70) <= 0x30) sounds = true;
  }
  if (!sounds) return;
  line.soundedMs = now;
  if (line.playedMs === 0) return;
  outcome.toPhoneMs.push(now - line.playedMs);
  line.playedMs = 0;
}

async function run({ ports, seconds, settleSeconds }: PeerRun): Promise<PeerOutcome> {
  outcome = nothingYet();
  const wire = socket!;
  const byPort = new Map(ports.map((port, index) => [port, lineOf(index)]));
  const destination = new Uint16Array(1);
  const plan = ports.map((port, index) => ({
    port,
    line: lineOf(index),
    nextMs: Math.random() * 20,
    pulseMs: beginMs + Math.random() * 500,
    playMs: beginMs + Math.random() * 1000,
    clearMs: Number.POSITIVE_INFINITY,
  }));
  const startMs = performance.now();
  let isSettled = false;
  while (performance.now() - startMs < seconds * 1000) {
    if (!isSettled && performance.now() - startMs >= settleSeconds * 1000) {
      isSettled = true;
      outcome = nothingYet();
    }
    for (const one of plan) {
      const { line, port } = one;
      const now = performance.now();
      const at = now - startMs;
      if (line.pulsedMs > 0 && now - line.pulsedMs > lostMs) {
        line.pulsedMs = 0;
        outcome.pulsesLost++;
      }
      if (at >= one.nextMs) {
        const isPulse = at >= one.pulseMs && line.pulsedMs === 0;
        const slot = wire.slot(0);
        slot.setUint8(0, 0x80);
        slot.setUint8(1, 0);
        slot.setUint16(2, line.sequence & 0xffff);
        slot.setUint32(4, line.sequence++ * payloadBytes);
        slot.setUint32(8, port);
        new Uint8Array(slot.buffer, slot.byteOffset + headerBytes, payloadBytes).fill(isPulse ? loud : quiet);
        destination[0] = port;
        wire.send(1, headerBytes + payloadBytes, destination);
        one.nextMs += 20;
        if (isPulse) {
          line.pulsedMs = performance.now();
          one.pulseMs = at + 300 + Math.random() * 200;
        }
      }
      if (at >= one.playMs) {
        play(line, now);
        one.clearMs = at + 300 + Math.random() * 200;
        one.playMs = Number.POSITIVE_INFINITY;
      }
      if (at >= one.clearMs) {
        if (line.clearedMs === 0) {
          line.clearedMs = performance.now();
          line.ws!.send('{"event":"clearAudio"}');
        } else if (at >= one.clearMs + 250) {
          outcome.toSilenceMs.push(Math.max(0, line.soundedMs - line.clearedMs));
          line.clearedMs = 0;
          one.clearMs = Number.POSITIVE_INFINITY;
          one.playMs = at + 100 + Math.random() * 100;
        }
      }
    }
    wire.receive((fromPort, view, offset, length) => {
      const line = byPort.get(fromPort);
      if (line !== undefined && length > headerBytes && view.getUint8(offset + 1) < 200) {
        hear(line, view, offset, length, performance.now());
      }
    });
    // A timer would be up to a millisecond late in sending and receiving, and would measure this process.
    await nextTurn();
  }
  return outcome;
}
