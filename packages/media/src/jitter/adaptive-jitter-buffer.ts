import type { RtpHeader } from '../rtp/rtp-packet.ts';
import { sequenceDistance, timestampDistance } from '../rtp/serial-number.ts';
import { arrival } from './arrival.ts';
import { CodecConcealment } from './codec-concealment.ts';
import { Concealment } from './concealment.ts';
import { DelayEstimator } from './delay-estimator.ts';
import { DelayPlan } from './delay-plan.ts';
import { FramePace } from './frame-pace.ts';
import type { AudioPayloads, JitterBuffer, JitterBufferOptions } from './jitter-buffer.ts';
import { createJitterCounters, type JitterCounters } from './jitter-counters.ts';
import { PacketRing, slotState } from './packet-ring.ts';
import { PayloadCodecs } from './payload-codecs.ts';
import { continuity, StreamContinuity } from './stream-continuity.ts';
import { taken } from './taken.ts';
import { TimeScale } from './time-scale.ts';

/** 120 ms, the longest packet that any of our codecs makes. */
const longestPacketMs = 120;

/** The jitter buffer of `createJitterBuffer`, where its parts are drawn. */
export class AdaptiveJitterBuffer implements JitterBuffer {
  readonly counters: JitterCounters = createJitterCounters();
  readonly pace: FramePace;
  readonly #frame: number;
  readonly #unitsPerMs: number;
  /** Samples a timestamp unit. */
  readonly #ratio: number;
  readonly #maxDelayMs: number;
  readonly packets: PacketRing;
  readonly #estimator: DelayEstimator;
  readonly #plan: DelayPlan;
  readonly #concealment: Concealment;
  readonly #scale: TimeScale;
  readonly #continuity: StreamContinuity;
  readonly #codecs = new PayloadCodecs();
  /** Decoded, not yet taken; ends at `#endTimestamp`. */
  readonly #pcm: Int16Array;
  #pcmLength = 0;
  #endTimestamp = 0;
  /** The end of the newest audio that waits. */
  #newestTimestamp = 0;
  /** Waiting for the stream or its next talkspurt, else playing. */
  isPlaying = false;
  #hasPlayed = false;
  #nextSequence = 0;
  newestPacket = 0;
  /** Samples to be made up before the next packet's own. */
  #gap = 0;
  /** Samples made up since the buffer ran dry: they replace a packet that never comes, or delay one that does. */
  #stalled = 0;
  #framesSinceChange = 0;
  readonly #own: CodecConcealment;

  constructor(options: JitterBufferOptions) {
    const { clockRate, sampleRate = clockRate, minDelayMs = 0 } = options;
    this.#frame = options.frameSamples;
    this.#unitsPerMs = clockRate / 1000;
    this.#ratio = sampleRate / clockRate;
    this.#maxDelayMs = options.maxDelayMs ?? 200;
    // Packets of 10 ms, the shortest in use, must fit; four more for those that overtake.
    this.packets = new PacketRing(Math.ceil(this.#maxDelayMs / 10) + 4, options.maxPayloadBytes ?? 640);
    this.#estimator = new DelayEstimator(clockRate);
    this.#plan = new DelayPlan(clockRate, this.#frame / this.#ratio, minDelayMs, this.#maxDelayMs);
    this.pace = new FramePace(this.#estimator, this.#plan);
    this.#continuity = new StreamContinuity(clockRate);
    this.#concealment = new Concealment(sampleRate);
    this.#own = new CodecConcealment(sampleRate, this.#concealment, this.#codecs);
    this.#scale = new TimeScale(sampleRate);
    this.#pcm = new Int16Array(this.#frame * 4 + (2 * longestPacketMs * sampleRate) / 1000);
    this.setPayloads(options.payloads);
  }

  get depthMs(): number {
    const waiting =
      this.packets.audioCount === 0 ? 0 : timestampDistance(this.#endTimestamp, this.#newestTimestamp);
    return (Math.max(0, waiting) + (this.#gap + this.#pcmLength) / this.#ratio) / this.#unitsPerMs;
  }

  get jitterMs(): number {
    return this.#estimator.quantileMs(0.97);
  }

  setPayloads(payloads: AudioPayloads): void {
    this.#codecs.set(payloads);
  }

  unitsIn(payloadType: number, bytes: Uint8Array, offset: number, length: number): number {
    return this.#codecs.samplesIn(payloadType, bytes, offset, length) / this.#ratio;
  }

  reset(): void {
    this.#forget();
    this.#continuity.reset();
    this.#concealment.reset();
  }

  get position(): number {
    return (this.#endTimestamp - (this.#pcmLength + this.#gap - this.#stalled) / this.#ratio) >>> 0;
  }

  get nextPacket(): number {
    const between = this.#pcmLength + this.#gap + this.#stalled > 0 || this.#concealment.active;
    return this.isPlaying && !between ? this.#nextSequence : -1;
  }

  put(header: RtpHeader, bytes: Uint8Array, arrivalMs: number): number {
    const { counters } = this;
    counters.received++;
    const isAudio = this.#codecs.at(header.payloadType) !== undefined && header.payloadLength > 0;
    const sequence = header.sequenceNumber;
    let ahead = sequenceDistance(this.#nextSequence, sequence);
    const deviationMs = this.#estimator.deviationMs(header.timestamp, arrivalMs);
    let result: number = arrival.kept;
    switch (this.#continuity.judge(header, isAudio, ahead, deviationMs, arrivalMs)) {
      case continuity.stray:
        counters.stray++;
        return arrival.stray;
      case continuity.fresh:
        this.#restart(header, arrivalMs);
        ahead = 0;
        result = arrival.fresh;
    }
    if (this.packets.stateOf(sequence) !== slotState.empty) {
      counters.duplicate++;
      return arrival.duplicate;
    }
    if (isAudio) this.#estimator.observe(header.timestamp, arrivalMs);
    if (ahead < 0) {
      // Before the first sample has gone out, a packet that was overtaken may still lead.
      const mayLead = !this.#hasPlayed && sequenceDistance(sequence, this.newestPacket) < this.packets.slots;
      if (!mayLead) {
        counters.late++;
        return arrival.late;
      }
      this.#nextSequence = sequence;
    }
    this.#makeRoom(sequence);
    if (sequenceDistance(this.newestPacket, sequence) > 0) this.newestPacket = sequence;
    const { payloadType, payloadOffset, payloadLength } = header;
    const units = isAudio ? this.unitsIn(payloadType, bytes, payloadOffset, payloadLength) : 0;
    if (header.payloadLength > this.packets.slotBytes || units > longestPacketMs * this.#unitsPerMs) {
      counters.oversized++;
      this.packets.storeOther(sequence);
    } else if (!isAudio) {
      counters.other++;
      this.packets.storeOther(sequence);
    } else {
      this.#storeAudio(header, bytes, units);
    }
    return result;
  }

  take(out: Int16Array, nowMs: number): number {
    const frame = this.#frame;
    if (!this.isPlaying && !this.#begins(nowMs)) return this.#takeNothing(out);
    if (this.#plan.pending !== 0) this.#adjust(nowMs);
    let madeUp = 0;
    let filled = 0;
    while (filled < frame) {
      const from = filled;
      if (this.#gap > 0) {
        filled = Math.min(frame, from + this.#gap);
        this.#concealment.conceal(out, from, filled - from);
        this.#gap -= filled - from;
        madeUp += filled - from;
      } else if (this.#pcmLength > 0) {
        filled = Math.min(frame, from + this.#pcmLength);
        this.#copyOut(out, from, filled - from);
      } else if (!this.#pull(nowMs)) {
        if (this.#stalled === 0) this.counters.underruns++;
        filled = frame;
        this.#own.standIn(out, from, filled - from);
        this.#stalled += filled - from;
        madeUp += filled - from;
      }
      this.#concealment.record(out, from, filled);
    }
    madeUp += this.#own.takeRecovered();
    this.counters.concealedSamples += madeUp;
    if (this.#own.hasGivenUp(this.#stalled)) this.#rest();
    else this.#plan.decide(this.#estimator, this.#pcmLength / this.#ratio);
    if (madeUp === 0) {
      this.counters.playedFrames++;
      return taken.played;
    }
    this.counters.concealedFrames++;
    return taken.concealed;
  }

  #takeNothing(out: Int16Array): number {
    // A restarted stream: what was played before still fades.
    if (this.#concealment.active && !this.#concealment.isSilent) {
      this.#concealment.conceal(out, 0, this.#frame);
      this.counters.concealedSamples += this.#frame;
      this.counters.concealedFrames++;
      return taken.concealed;
    }
    out.fill(0, 0, this.#frame);
    this.counters.emptyFrames++;
    return taken.empty;
  }

  /** A new stream starts with this packet. */
  #restart(header: RtpHeader, arrivalMs: number): void {
    if (this.#hasPlayed) {
      this.counters.resyncs++;
      this.#concealment.bridge();
    }
    this.#forget();
    this.#nextSequence = header.sequenceNumber;
    this.newestPacket = header.sequenceNumber;
    this.#estimator.restart(header.timestamp, arrivalMs);
  }

  #forget(): void {
    this.counters.overflow += this.packets.audioCount;
    this.packets.clear();
    this.#hasPlayed = false;
    this.counters.removedSamples += this.#pcmLength;
    this.#pcmLength = 0;
    this.#rest();
  }

  /** Nothing has come for a while: the next packet starts a talkspurt, with a delay of its own. */
  #rest(): void {
    this.isPlaying = false;
    this.#gap = 0;
    this.#stalled = 0;
    this.#plan.settle();
  }

  #makeRoom(sequence: number): void {
    while (sequenceDistance(this.#nextSequence, sequence) >= this.packets.slots) {
      if (this.packets.count > 0) this.#dropOldest();
      else {
        // An outage longer than the buffer: all of it is lost, and playing goes on from here.
        this.counters.lost += sequenceDistance(this.#nextSequence, sequence);
        this.#nextSequence = sequence;
      }
    }
  }

  #storeAudio(header: RtpHeader, bytes: Uint8Array, units: number): void {
    const end = (header.timestamp + units) >>> 0;
    if (this.packets.audioCount === 0 || timestampDistance(this.#newestTimestamp, end) > 0) {
      this.#newestTimestamp = end;
    }
    // Between talkspurts nothing has been played up to a point: waiting counts from the first packet.
    if (!this.isPlaying && this.packets.audioCount === 0) this.#endTimestamp = header.timestamp;
    this.packets.storeAudio(header, bytes);
    this.#boundDepth();
  }

  /** Keeps the promise of `maxDelayMs`, also against timestamps that run ahead of the time or against the sequence. */
  #boundDepth(): void {
    while (this.depthMs > this.#maxDelayMs && this.packets.audioCount > 1) this.#dropOldest();
    if (this.depthMs <= this.#maxDelayMs || !this.#skipToAudio()) return;
    // Alone and far ahead by its own clock: waiting for that time would be the delay.
    const place = this.packets.place(this.#nextSequence);
    this.#endTimestamp = this.packets.timestamp[place]!;
    const units = this.#codecs.samplesAt(this.packets, place) / this.#ratio;
    this.#newestTimestamp = (this.#endTimestamp + units) >>> 0;
    this.#gap = 0;
    if (this.isPlaying) this.#concealment.bridge();
  }

  /** Gives up the oldest audio, decoded or not. */
  #dropOldest(): void {
    if (this.isPlaying) this.#concealment.bridge();
    this.#gap = 0;
    this.#plan.settle();
    if (this.#pcmLength > 0) {
      this.counters.removedSamples += this.#pcmLength;
      this.#pcmLength = 0;
      return;
    }
    if (!this.#skipToAudio()) return;
    const place = this.packets.place(this.#nextSequence);
    const units = this.#codecs.samplesAt(this.packets, place) / this.#ratio;
    this.#endTimestamp = (this.packets.timestamp[place]! + units) >>> 0;
    this.counters.removedSamples += units * this.#ratio;
    this.counters.overflow++;
    this.packets.release(this.#nextSequence);
    this.#nextSequence = (this.#nextSequence + 1) & 0xffff;
  }

  /** Starts a talkspurt when its first packet has waited for as long as the network's jitter asks. */
  #begins(nowMs: number): boolean {
    if (this.packets.audioCount === 0) return false;
    const place = this.packets.place(this.packets.firstAudio(this.#nextSequence));
    this.#plan.notePacket(this.#codecs.samplesAt(this.packets, place) / this.#ratio);
    const slackMs = this.#estimator.deviationMs(this.packets.timestamp[place]!, nowMs);
    if (slackMs < this.#plan.startingSlackMs(this.#estimator)) return false;
    this.#skipToAudio();
    this.#endTimestamp = this.packets.timestamp[place]!;
    this.isPlaying = true;
    this.#hasPlayed = true;
    this.#boundDepth();
    return true;
  }

  /** Moves on to the next audio that waits; numbers on the way that hold nothing are lost. False when there is none. */
  #skipToAudio(): boolean {
    while (this.packets.count > 0) {
      const state = this.packets.stateOf(this.#nextSequence);
      if (state === slotState.audio) return true;
      if (state === slotState.other) this.packets.release(this.#nextSequence);
      else this.counters.lost++;
      this.#nextSequence = (this.#nextSequence + 1) & 0xffff;
    }
    return false;
  }

  /** Gets at the audio that is due: decodes it, or finds how much is missing before it. False when nothing waits. */
  #pull(nowMs: number): boolean {
    if (!this.#skipToAudio()) return false;
    const timestamp = this.packets.timestamp[this.packets.place(this.#nextSequence)]!;
    const missing = Math.max(0, timestampDistance(this.#endTimestamp, timestamp) * this.#ratio);
    this.#endTimestamp = timestamp;
    // What was made up while the buffer was dry stood in for what is missing; any more of it is delay.
    this.#gap = Math.max(0, missing - this.#stalled);
    if (this.#stalled > missing) {
      this.counters.insertedSamples += this.#stalled - missing;
      this.#plan.settle();
    }
    this.#stalled = 0;
    this.#boundDepth();
    // What is recovered is played first; the packet that told it is decoded when its own turn has come.
    if (this.#gap > 0 && this.#skipToAudio()) {
      const made = this.#own.recover(this.packets, this.#nextSequence, this.#gap, this.#pcm, this.#pcmLength);
      this.#pcmLength += made;
      this.#gap -= made;
      if (made > 0) return true;
    }
    if (this.#gap === 0 && this.#skipToAudio()) {
      if (this.#plan.pending === 0) this.#plan.noteSlack(this.#estimator.deviationMs(timestamp, nowMs));
      this.#decodeNext();
    }
    return true;
  }

  #decodeNext(): void {
    const place = this.packets.place(this.#nextSequence);
    const codec = this.#codecs.at(this.packets.payloadType[place]!);
    // Undefined when the payload types were exchanged meanwhile: its time passes as a gap.
    if (codec !== undefined) {
      this.#own.coder = codec;
      const { payload, length, slotBytes } = this.packets;
      const count = codec.decode(payload, place * slotBytes, length[place]!, this.#pcm, this.#pcmLength);
      this.#pcmLength += count;
      this.#endTimestamp = (this.#endTimestamp + count / this.#ratio) >>> 0;
      this.#plan.notePacket(count / this.#ratio);
    }
    this.counters.played++;
    this.packets.release(this.#nextSequence);
    this.#nextSequence = (this.#nextSequence + 1) & 0xffff;
  }

  #copyOut(out: Int16Array, offset: number, count: number): void {
    const pcm = this.#pcm;
    for (let i = 0; i < count; i++) out[offset + i] = pcm[i]!;
    if (this.#concealment.active) this.#concealment.merge(out, offset, count);
    if (count < this.#pcmLength) pcm.copyWithin(0, count, this.#pcmLength);
    this.#pcmLength -= count;
  }

  /** Carries out a part of the planned change of delay, where the audio permits it. */
  #adjust(nowMs: number): void {
    const plan = this.#plan;
    const scale = this.#scale;
    const shortens = plan.pending > 0;
    const total = Math.abs(plan.pending) * this.#ratio;
    if (shortens && total < scale.minLag) {
      plan.settle();
      return;
    }
    const hurries = total > 6 * scale.window;
    if (this.#gap > 0 || this.#concealment.active || (!hurries && this.#framesSinceChange++ < 3)) return;
    let maxLag = Math.min(total, 2 * scale.window);
    while (
      this.#pcmLength < maxLag + this.#frame &&
      this.packets.continues(this.#nextSequence, this.#endTimestamp)
    )
      this.#decodeNext();
    // A stretch that is played twice need not leave a whole frame behind it.
    if (!shortens) {
      if (this.#pcmLength === 0 && !this.#pull(nowMs)) return;
      maxLag = Math.min(maxLag, this.#pcmLength - scale.window);
    }
    if (maxLag < 1 || this.#pcmLength < maxLag + (shortens ? this.#frame : scale.window)) return;
    scale.search(this.#pcm, total, maxLag);
    if (scale.likeness < plan.wantedLikeness(hurries)) return;
    const { lag } = scale;
    this.#pcmLength = scale.apply(this.#pcm, this.#pcmLength, shortens);
    this.counters[shortens ? 'removedSamples' : 'insertedSamples'] += lag;
    this.#framesSinceChange = 0;
    plan.pending -= (shortens ? lag : -lag) / this.#ratio;
    if (plan.pending === 0) plan.settle();
  }
}
