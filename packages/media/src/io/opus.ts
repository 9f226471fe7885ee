import {
  Application,
  Bandwidth,
  createDecoder,
  createEncoder,
  EncoderCtl,
  type OpusDecoderHandle,
  type OpusEncoderHandle,
} from 'libopus-wasm';
import type { AudioCodec } from '../codec/audio-codec.ts';
import { opusSamples } from '../codec/opus-packet.ts';
import { isSilent } from '../dsp/level.ts';

/** Opens Opus for one leg; `parameters` is the other side's `a=fmtp` (RFC 7587 §6.1). */
export type OpenOpus = (parameters: string) => AudioCodec;

/** An encoder and a decoder of libopus, with memory outside JavaScript. */
interface Pair {
  readonly encoder: OpusEncoderHandle;
  readonly decoder: OpusDecoderHandle;
}

const CLOCK = 48_000;
const FRAME = 960;
/** Concealed frames must be multiples of 2.5 ms (RFC 6716 §2.1.4). */
const SHORTEST = 120;
/** RFC 6716 §3.2.1: the longest frame. */
const MOST_BYTES = 1275;
/** RFC 7587 §3.1.1: 28 to 40 kbit/s for full-band speech. */
const BITRATE = 32_000;
/** Half of the maximum: 190 µs per frame, with nearly the full quality for speech. */
const COMPLEXITY = 5;
/** Loss that the encoder prepares for: at 5 % and this bit rate it adds no redundancy (measured). */
const EXPECTED_LOSS_PERCENT = 10;
/** Pairs created in advance: libopus creates them asynchronously, but a call is connected at once. */
const PREPARED_PAIRS = 8;

/** Loads libopus, once per thread. Resolves when legs can be opened. */
export async function loadOpus(prepared: number = PREPARED_PAIRS): Promise<OpenOpus> {
  const ready: Pair[] = [];
  let coming = 0;
  const refill = async (): Promise<void> => {
    while (ready.length + coming < prepared) {
      coming++;
      const pair = await createPair().finally(() => coming--);
      ready.push(pair);
    }
  };
  await refill();
  const supply = (codec: Opus): void => {
    const pair = ready.pop();
    if (pair !== undefined) codec.adopt(pair);
    // All pairs were used in one turn: this leg gets its pair before the next turn and is silent until then.
    else void createPair().then((late) => codec.adopt(late));
    void refill();
  };
  return (parameters) => {
    const codec = new Opus(requestedBy(parameters), supply);
    supply(codec);
    return codec;
  };
}

async function createPair(): Promise<Pair> {
  const encoder = await createEncoder({
    application: Application.Voip,
    bitrate: BITRATE,
    channels: 1,
    complexity: COMPLEXITY,
    frameSize: FRAME,
    sampleRate: CLOCK,
  });
  return { encoder, decoder: await createDecoder({ channels: 1, sampleRate: CLOCK }) };
}

interface Requested {
  readonly redundancy: boolean;
  readonly bandwidth: (typeof Bandwidth)[keyof typeof Bandwidth];
}

function requestedBy(fmtp: string): Requested {
  const numberOf = (name: string): number =>
    Number(new RegExp(`(?:^|;)\\s*${name}=(\\d{1,6})\\s*(?:;|$)`).exec(fmtp)?.[1]);
  const rate = numberOf('maxplaybackrate');
  const bandwidth =
    rate <= 8000
      ? Bandwidth.Narrowband
      : rate <= 12_000
        ? Bandwidth.Mediumband
        : rate <= 16_000
          ? Bandwidth.Wideband
          : rate <= 24_000
            ? Bandwidth.Superwideband
            : Bandwidth.Fullband;
  return { redundancy: numberOf('useinbandfec') === 1, bandwidth };
}

/** Opus for one leg: mono, 48 kHz, packets of 20 ms. Packets that libopus refuses are concealed. */
class Opus implements AudioCodec {
  readonly name = 'opus';
  readonly clockRate = CLOCK;
  readonly sampleRate = CLOCK;
  readonly frameSamples = FRAME;
  readonly frameBytes = 0;
  readonly remembers = true;
  /** 45 µs a frame, against 1 µs of G.711. */
  readonly isCostly = true;
  readonly encoding: string;
  readonly #requested: Requested;
  readonly #supply: (codec: Opus) => void;
  #pair: Pair | undefined;
  #isClosed = false;
  #isResting = false;
  #isRestarting = false;

  constructor(requested: Requested, supply: (codec: Opus) => void) {
    this.#requested = requested;
    this.#supply = supply;
    this.encoding = `${requested.bandwidth}${requested.redundancy ? ' with redundancy' : ''}`;
  }

  get isReady(): boolean {
    return this.#pair !== undefined || this.#isResting;
  }

  restart(): void {
    this.#isRestarting = true;
  }

  rest(): void {
    if (this.#pair === undefined) return;
    free(this.#pair);
    this.#pair = undefined;
    this.#isResting = true;
  }

  #wake(): void {
    if (!this.#isResting) return;
    this.#isResting = false;
    this.#isRestarting = true;
    this.#supply(this);
  }

  adopt(pair: Pair): void {
    if (this.#isClosed) {
      free(pair);
      return;
    }
    const { redundancy, bandwidth } = this.#requested;
    pair.encoder.setFec(redundancy);
    pair.encoder.setPacketLossPercent(redundancy ? EXPECTED_LOSS_PERCENT : 0);
    pair.encoder.setMaxBandwidth(bandwidth);
    this.#pair = pair;
  }

  encode(samples: Int16Array, count: number, out: Uint8Array, outOffset: number): number {
    // Silence needs no encoder: a talker who pauses wakes nothing.
    if (this.#isResting && !isSilent(samples, count)) this.#wake();
    if (this.#pair === undefined || count !== FRAME) {
      // A frame of 20 ms without content (RFC 6716 §3.2.1): silence.
      out[outOffset] = 31 << 3;
      return 1;
    }
    const frame = samples.length === FRAME ? samples : samples.subarray(0, FRAME);
    const { encoder } = this.#pair;
    if (this.#isRestarting) encoder.encoderCtl(EncoderCtl.SetPredictionDisabled, 1);
    const packet = encoder.encode(frame, { maxPacketBytes: MOST_BYTES });
    if (this.#isRestarting) encoder.encoderCtl(EncoderCtl.SetPredictionDisabled, 0);
    this.#isRestarting = false;
    out.set(packet, outOffset);
    return packet.length;
  }

  decode(bytes: Uint8Array, offset: number, length: number, out: Int16Array, outOffset = 0): number {
    const samples = opusSamples(bytes, offset, length);
    const room = out.length - outOffset;
    if (samples === 0 || samples > room) return 0;
    return this.#decode(bytes.subarray(offset, offset + length), samples, false, out, outOffset);
  }

  samplesIn(length: number, bytes: Uint8Array, offset: number): number {
    return opusSamples(bytes, offset, length);
  }

  conceal(count: number, out: Int16Array, outOffset: number): number {
    return this.#decode(null, wholeParts(count, out.length - outOffset), false, out, outOffset);
  }

  recover(
    bytes: Uint8Array,
    offset: number,
    length: number,
    count: number,
    out: Int16Array,
    outOffset: number,
  ): number {
    const samples = wholeParts(count, out.length - outOffset);
    return this.#decode(bytes.subarray(offset, offset + length), samples, true, out, outOffset);
  }

  close(): void {
    this.#isClosed = true;
    this.#isResting = false;
    if (this.#pair !== undefined) free(this.#pair);
    this.#pair = undefined;
  }

  #decode(
    packet: Uint8Array | null,
    samples: number,
    decodeFec: boolean,
    out: Int16Array,
    outOffset: number,
  ): number {
    if (samples === 0) return 0;
    // A resting decoder has nothing from which it could conceal.
    if (packet !== null) this.#wake();
    const options =
      packet === null || decodeFec ? { decodeFec, frameSize: samples } : { maxFrameSize: samples };
    let decoded: Int16Array | undefined;
    try {
      decoded = this.#pair?.decoder.decode(packet, options);
    } catch {
      // The sender may send any bytes: an invalid packet becomes silence of the same length.
    }
    out.fill(0, outOffset, outOffset + samples);
    if (decoded !== undefined)
      out.set(decoded.length > samples ? decoded.subarray(0, samples) : decoded, outOffset);
    return samples;
  }
}

function wholeParts(count: number, room: number): number {
  return Math.floor(Math.min(count, room) / SHORTEST) * SHORTEST;
}

function free({ encoder, decoder }: Pair): void {
  encoder.free();
  decoder.free();
}
