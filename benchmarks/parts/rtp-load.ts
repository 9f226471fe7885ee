import { loadOpus } from '@jackfield/media/io';
import { quantile } from '../measure.ts';
import { servePart } from '../part.ts';
import { type BatchSocket, batchSize, openBatchSocket } from './batch-socket.ts';
import type { MixCodec } from './mix.ts';

export interface RtpLoad {
  /** RTP ports of the legs, room by room. */
  readonly ports: readonly number[];
  readonly room: number;
  readonly seconds: number;
  /** Frames before this time are not counted. */
  readonly settleSeconds: number;
  /** In each room the first leg sends occasional loud frames, and the second one detects them. */
  readonly pulses?: boolean;
  /** Default PCMU. Opus has pulses in the first rooms only, because their audio must be decoded here. */
  readonly codec?: MixCodec;
}

export interface RtpOutcome {
  readonly sent: number;
  readonly received: number;
  /** Frames that never arrived. */
  readonly missing: number;
  /** Frames more than 20 ms behind the cadence of their leg, as the phone sees it. */
  readonly late: number;
  readonly latestMs: number;
  readonly p999Ms: number;
  /** Frames that the generator itself sent more than 5 ms late. */
  readonly sentLate: number;
  /** From the packet with the pulse to the first loud sample that the other leg receives. */
  readonly delaysMs: readonly number[];
}

/** Phones on one socket; each phone has its own phase. */
servePart({
  bind({ port }: { readonly port: number }) {
    socket = openBatchSocket(port);
  },
  run,
  stop: () => socket?.close(),
});

const frameMs = 20;
const payloadBytes = 160;
const headerBytes = 12;
const pulseEveryMs = 700;
// µ-law: 0xc0 is −36 dBFS, a quiet voice above any silence detection; 0x80 is full scale.
const [quiet, loud] = [0xc0, 0x80];
const pulsedOpusRooms = 10;
/** Opus phones hum at 200 Hz: in phase and together they stay below half of a pulse. */
const opusFrame = 960;
const [hum, pulse, heardPulse] = [500, 30_000, 12_000];
let socket: BatchSocket | undefined;

interface Speech {
  readonly payloadType: number;
  readonly unitsPerFrame: number;
  readonly quiet: Uint8Array;
  readonly loud: Uint8Array;
  /** Position of the pulse in a packet of this room, in ms; −1 without one. */
  find(room: number, payload: Uint8Array): number;
}

const g711: Speech = {
  payloadType: 0,
  unitsPerFrame: payloadBytes,
  quiet: new Uint8Array(payloadBytes).fill(quiet),
  loud: new Uint8Array(payloadBytes).fill(loud),
  find(_room, payload) {
    for (let at = 0; at < payload.length; at++) if ((payload[at]! & 0x70) === 0) return at / 8;
    return -1;
  },
};

/** A packet of a constant hum, and a packet that becomes loud. */
async function createOpusSpeech(): Promise<Speech> {
  const open = await loadOpus(pulsedOpusRooms + 1);
  const encoder = open('');
  const out = new Uint8Array(1500);
  const encode = (amplitude: number): Uint8Array => {
    const samples = Int16Array.from({ length: opusFrame }, (_, n) =>
      Math.round(amplitude * Math.sin((2 * Math.PI * 200 * n) / 48_000)),
    );
    return out.slice(0, encoder.encode(samples, opusFrame, out, 0));
  };
  for (let n = 0; n < 20; n++) encode(hum);
  const quiet = encode(hum);
  const loud = encode(pulse);
  const decoders = Array.from({ length: pulsedOpusRooms }, () => open(''));
  const samples = new Int16Array(6 * opusFrame);
  return {
    payloadType: 111,
    unitsPerFrame: opusFrame,
    quiet,
    loud,
    find(room, payload) {
      const count = decoders[room]?.decode(payload, 0, payload.length, samples, 0) ?? 0;
      for (let at = 0; at < count; at++) if (Math.abs(samples[at]!) > heardPulse) return at / 48;
      return -1;
    },
  };
}

async function run(load: RtpLoad): Promise<RtpOutcome> {
  const { ports, room, seconds, settleSeconds, pulses = false, codec } = load;
  const speech = codec === 'opus' ? await createOpusSpeech() : g711;
  const pulsedRooms = codec === 'opus' ? pulsedOpusRooms : Number.POSITIVE_INFINITY;
  const wire = socket!;
  const legs = ports.length;
  const phases = Float64Array.from(ports, () => Math.random() * frameMs);
  const order = Array.from(ports, (_, leg) => leg).sort((left, right) => phases[left]! - phases[right]!);
  const legOf = new Map(ports.map((port, leg) => [port, leg]));
  const sequence = new Uint16Array(legs);
  const destinations = new Uint16Array(batchSize);
  const heard = createHeard(legs);
  const pulseAt = new Float64Array(Math.ceil(legs / room));
  const nextPulse = Float64Array.from(pulseAt, () => settleSeconds * 1000 + Math.random() * pulseEveryMs);
  const delays: number[] = [];
  const sleep = new Int32Array(new SharedArrayBuffer(4));
  let [frame, position, sent, sentLate, received, waiting, isOver] = [0, 0, 0, 0, 0, 0, false];
  const start = performance.now();

  const take = (port: number, view: DataView, offset: number, length: number) => {
    const leg = legOf.get(port);
    // RTCP arrives on the same port (RFC 5761); its packet types are 200 and above.
    if (leg === undefined || length < headerBytes || view.getUint8(offset + 1) >= 200) return;
    const now = performance.now();
    received += 1;
    if (now - start > settleSeconds * 1000) heard.record(leg, view.getUint16(offset + 2), now);
    const inRoom = Math.floor(leg / room);
    // A decoder is stateful: it needs every packet.
    if (leg % room !== 1 || (pulseAt[inRoom] === 0 && speech === g711)) return;
    const from = view.byteOffset + offset + headerBytes;
    const foundMs = speech.find(inRoom, new Uint8Array(view.buffer, from, length - headerBytes));
    if (foundMs < 0 || pulseAt[inRoom] === 0) return;
    delays.push(now + foundMs - pulseAt[inRoom]!);
    pulseAt[inRoom] = 0;
  };

  const flush = (payload = speech.quiet) => {
    if (waiting > 0) wire.send(waiting, headerBytes + payload.length, destinations);
    waiting = 0;
  };
  const write = (leg: number, at: number) => {
    const inRoom = Math.floor(leg / room);
    const mayPulse = pulses && leg % room === 0 && inRoom < pulsedRooms;
    const isPulse = mayPulse && at > nextPulse[inRoom]! && pulseAt[inRoom] === 0;
    const payload = isPulse ? speech.loud : speech.quiet;
    // Packets sent together must have one length.
    if (isPulse) flush();
    const slot = wire.slot(waiting);
    slot.setUint8(0, 0x80);
    slot.setUint8(1, speech.payloadType);
    slot.setUint16(2, sequence[leg]!++);
    slot.setUint32(4, frame * speech.unitsPerFrame);
    slot.setUint32(8, leg + 1);
    new Uint8Array(slot.buffer, slot.byteOffset + headerBytes, payload.length).set(payload);
    destinations[waiting++] = ports[leg]!;
    sent += 1;
    if (isPulse) {
      nextPulse[inRoom] = at + pulseEveryMs * (0.75 + Math.random() / 2);
      flush(payload);
      pulseAt[inRoom] = performance.now();
    }
    if (waiting === batchSize) flush();
  };

  while (!isOver) {
    wire.receive(take);
    const at = performance.now() - start;
    isOver = at >= seconds * 1000;
    for (;;) {
      const leg = order[position]!;
      const due = frame * frameMs + phases[leg]!;
      if (due > at) break;
      if (at - due > 5) sentLate += 1;
      write(leg, at);
      position += 1;
      if (position === legs) [position, frame] = [0, frame + 1];
    }
    flush();
    Atomics.wait(sleep, 0, 0, 0.3);
  }
  return { sent, received, sentLate, delaysMs: delays, ...heard.outcome() };
}

/** The cadence of every leg: a frame is due 20 ms after the previous one, counted from the earliest. */
function createHeard(legs: number) {
  const firstSequence = new Int32Array(legs).fill(-1);
  const lastSequence = new Int32Array(legs);
  const base = new Float64Array(legs).fill(Number.POSITIVE_INFINITY);
  const behind: number[] = [];
  const counted = new Uint32Array(legs);
  return {
    record(leg: number, sequence: number, now: number) {
      if (firstSequence[leg] === -1) {
        firstSequence[leg] = sequence;
        lastSequence[leg] = sequence;
      }
      counted[leg]! += 1;
      lastSequence[leg]! += ((sequence - lastSequence[leg]! + 32_768) & 0xffff) - 32_768;
      const cadence = now - (lastSequence[leg]! - firstSequence[leg]!) * frameMs;
      if (cadence < base[leg]!) base[leg] = cadence;
      behind.push(cadence - base[leg]!);
    },
    outcome() {
      const sorted = Float64Array.from(behind).sort();
      let missing = 0;
      for (let leg = 0; leg < legs; leg++) {
        missing += lastSequence[leg]! - firstSequence[leg]! + 1 - counted[leg]!;
        if (firstSequence[leg] === -1) missing += 1;
      }
      return {
        missing,
        late: sorted.length - sorted.findLastIndex((ms) => ms <= 20) - 1,
        latestMs: sorted.at(-1) ?? Number.NaN,
        p999Ms: quantile(sorted, 0.999),
      };
    },
  };
}
