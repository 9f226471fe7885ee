import type { RtpHeader } from '../rtp/rtp-packet.ts';
import { sequenceDistance, timestampDistance } from '../rtp/serial-number.ts';
import { arrival } from './arrival.ts';
import { CodecConcealment } from './codec-concealment.ts';
import { Concealment } from './concealment.ts';
import { decodePacket } from './decode-packet.ts';
import { DecodedAudio } from './decoded-audio.ts';
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

/** 120 ms, the longest packet of our codecs. */
const longestPacketMs = 120;

/** The jitter buffer; `createJitterBuffer` has a diagram of its parts. */
export class AdaptiveJitterBuffer implements JitterBuffer {
  readonly counters: JitterCounters = createJitterCounters();
  readonly pace: FramePace;
  readonly #frame: number;
  readonly #unitsPerMs: number;
  /** Samples per timestamp unit. */
  readonly #ratio: number;
  readonly #maxDelayMs: number;
  readonly packets: PacketRing;
  readonly #estimator: DelayEstimator;
  readonly #plan: DelayPlan;
  readonly #concealment: Concealment;
  readonly #scale: TimeScale;
  readonly #continuity: StreamContinuity;
  readonly #codecs = new PayloadCodecs();
  /** Ends at `#endTimestamp`. */
  readonly #decoded: DecodedAudio;
  #endTimestamp = 0;
  /** End of the newest waiting audio. */
  #newestTimestamp = 0;
  /** False while waiting for the stream or its next talkspurt. */
  isPlaying = false;
  #hasPlayed = false;
  #nextSequence = 0;
  newestPacket = 0;
  /** Samples to be concealed before the next packet's own. */
  #gap = 0;
  /** Samples concealed since the buffer ran dry: they replace a lost packet or delay a late one. */
  #stalled = 0;
  #framesSinceChange = 0;
  readonly #own: CodecConcealment;

  constructor(options: JitterBufferOptions) {
    const { clockRate, sampleRate = clockRate, minDelayMs = 0 } = options;
    this.#frame = options.frameSamples;
    this.#unitsPerMs = clockRate / 1000;
    this.#ratio = sampleRate / clockRate;
    this.#maxDelayMs = options.maxDelayMs ?? 200;
    // Packets of 10 ms, the shortest in use, must fit, plus four that overtake others.
    this.packets = new PacketRing(Math.ceil(this.#maxDelayMs / 10) + 4, options.maxPayloadBytes);
    this.#estimator = new DelayEstimator(clockRate);
    this.#plan = new DelayPlan(clockRate, this.#frame / this.#ratio, minDelayMs, this.#maxDelayMs);
    this.pace = new FramePace(this.#estimator, this.#plan);
    this.#continuity = new StreamContinuity(clockRate);
    this.#concealment = new Concealment(sampleRate);
    this.#own = new CodecConcealment(sampleRate, this.#concealment, this.#codecs);
    this.#scale = new TimeScale(sampleRate);
    const mostSamples = this.#frame * 4 + (2 * longestPacketMs * sampleRate) / 1000;
    this.#decoded = new DecodedAudio(this.#frame, mostSamples);
    this.setPayloads(options.payloads);
  }

  set isUnheard(isUnheard: boolean) {
    this.#concealment.isMuted = isUnheard && this.#own.coder?.isCostly === true;
  }

  get depthMs(): number {
    const waiting =
      this.packets.audioCount === 0 ? 0 : timestampDistance(this.#endTimestamp, this.#newestTimestamp);
    return (Math.max(0, waiting) + (this.#gap + this.#decoded.length) / this.#ratio) / this.#unitsPerMs;
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
    return (this.#endTimestamp - (this.#decoded.length + this.#gap - this.#stalled) / this.#ratio) >>> 0;
  }

  get nextPacket(): number {
    const between = this.#decoded.length + this.#gap + this.#stalled > 0 || this.#concealment.active;
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
      // Until the first sample has been played, a packet that was overtaken may still come first.
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
    if (header.payloadLength > this.packets.mostBytes || units > longestPacketMs * this.#unitsPerMs) {
      counters.oversized++;
      result = arrival.oversized;
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
    let concealed = 0;
    let filled = 0;
    while (filled < frame) {
      const from = filled;
      if (this.#gap > 0) {
        filled = Math.min(frame, from + this.#gap);
        this.#concealment.conceal(out, from, filled - from);
        this.#gap -= filled - from;
        concealed += filled - from;
      } else if (this.#decoded.length > 0) {
        filled = Math.min(frame, from + this.#decoded.length);
        this.#copyOut(out, from, filled - from);
      } else if (!this.#pull(nowMs)) {
        if (this.#stalled === 0) this.counters.underruns++;
        filled = frame;
        this.#own.standIn(out, from, filled - from);
        this.#stalled += filled - from;
        concealed += filled - from;
      }
      this.#concealment.record(out, from, filled);
    }
    concealed += this.#own.takeRecovered();
    this.counters.concealedSamples += concealed;
    if (this.#own.hasGivenUp(this.#stalled)) this.#rest();
    else this.#plan.decide(this.#estimator, this.#decoded.length / this.#ratio);
    if (concealed === 0) {
      this.counters.playedFrames++;
      return taken.played;
    }
    this.counters.concealedFrames++;
    return taken.concealed;
  }

  #takeNothing(out: Int16Array): number {
    // After a restart, the concealment of the old stream still fades out.
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

  /** Starts a new stream with this packet. */
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
    this.counters.removedSamples += this.#decoded.clear();
    this.#rest();
  }

  /** Ends the talkspurt: the next packet starts a new one with its own delay. */
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
        // An outage longer than the buffer: count it as lost and continue with this packet.
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
    // Between talkspurts there is no play position: depth counts from the first packet.
    if (!this.isPlaying && this.packets.audioCount === 0) this.#endTimestamp = header.timestamp;
    this.packets.storeAudio(header, bytes);
    this.#boundDepth();
  }

  /** Enforces `maxDelayMs`, also when timestamps run ahead of time or against the sequence. */
  #boundDepth(): void {
    while (this.depthMs > this.#maxDelayMs && this.packets.audioCount > 1) this.#dropOldest();
    if (this.depthMs <= this.#maxDelayMs || !this.#skipToAudio()) return;
    // A single packet with a timestamp far ahead: play it now, because waiting for its time would exceed the limit.
    const slot = this.packets.slotOf(this.#nextSequence);
    this.#endTimestamp = this.packets.timestampOf(slot);
    const units = this.#codecs.samplesAt(this.packets, slot) / this.#ratio;
    this.#newestTimestamp = (this.#endTimestamp + units) >>> 0;
    this.#gap = 0;
    if (this.isPlaying) this.#concealment.bridge();
  }

  /** Drops the oldest audio, decoded or not. */
  #dropOldest(): void {
    if (this.isPlaying) this.#concealment.bridge();
    this.#gap = 0;
    this.#plan.settle();
    if (this.#decoded.length > 0) {
      this.counters.removedSamples += this.#decoded.clear();
      return;
    }
    if (!this.#skipToAudio()) return;
    const slot = this.packets.slotOf(this.#nextSequence);
    const units = this.#codecs.samplesAt(this.packets, slot) / this.#ratio;
    this.#endTimestamp = (this.packets.timestampOf(slot) + units) >>> 0;
    this.counters.removedSamples += units * this.#ratio;
    this.counters.overflow++;
    this.packets.release(this.#nextSequence);
    this.#nextSequence = (this.#nextSequence + 1) & 0xffff;
  }

  /** Starts a talkspurt when its first packet has waited long enough for the network's jitter. */
  #begins(nowMs: number): boolean {
    if (this.packets.audioCount === 0) return false;
    const slot = this.packets.slotOf(this.packets.firstAudio(this.#nextSequence));
    this.#plan.notePacket(this.#codecs.samplesAt(this.packets, slot) / this.#ratio);
    const slackMs = this.#estimator.deviationMs(this.packets.timestampOf(slot), nowMs);
    if (slackMs < this.#plan.startingSlackMs(this.#estimator)) return false;
    this.#skipToAudio();
    this.#endTimestamp = this.packets.timestampOf(slot);
    this.isPlaying = true;
    this.#hasPlayed = true;
    this.#boundDepth();
    return true;
  }

  /** Skips to the next waiting audio; missing sequence numbers count as lost. False when there is none. */
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

  /** Decodes the due audio, or sets the gap before it. False when nothing waits. */
  #pull(nowMs: number): boolean {
    if (!this.#skipToAudio()) return false;
    const timestamp = this.packets.timestampOf(this.packets.slotOf(this.#nextSequence));
    const missing = Math.max(0, timestampDistance(this.#endTimestamp, timestamp) * this.#ratio);
    this.#endTimestamp = timestamp;
    // Samples concealed while the buffer was dry replace the missing ones; any excess adds delay.
    this.#gap = Math.max(0, missing - this.#stalled);
    if (this.#stalled > missing) {
      this.counters.insertedSamples += this.#stalled - missing;
      this.#plan.settle();
    }
    this.#stalled = 0;
    this.#boundDepth();
    // Recovered audio is played first; the packet that carried the redundancy is decoded in its own turn.
    if (this.#gap > 0 && !this.#concealment.isMuted && this.#skipToAudio()) {
      const made = this.#own.recover(this.packets, this.#nextSequence, this.#gap, this.#decoded);
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
    const slot = this.packets.slotOf(this.#nextSequence);
    const codec = this.#codecs.at(this.packets.payloadTypeOf(slot));
    // Undefined after a change of payload types: the packet's time becomes a gap.
    if (codec !== undefined) {
      this.#own.coder = codec;
      const count = decodePacket(codec, this.packets, slot, this.#decoded, this.#concealment.isMuted);
      this.#endTimestamp = (this.#endTimestamp + count / this.#ratio) >>> 0;
      this.#plan.notePacket(count / this.#ratio);
    }
    this.counters.played++;
    this.packets.release(this.#nextSequence);
    this.#nextSequence = (this.#nextSequence + 1) & 0xffff;
  }

  #copyOut(out: Int16Array, offset: number, count: number): void {
    this.#decoded.moveTo(out, offset, count);
    if (this.#concealment.active) this.#concealment.merge(out, offset, count);
  }

  /** Applies a part of the planned change of delay, where the audio permits. */
  #adjust(nowMs: number): void {
    const plan = this.#plan;
    const scale = this.#scale;
    const decoded = this.#decoded;
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
      decoded.length < maxLag + this.#frame &&
      this.packets.continues(this.#nextSequence, this.#endTimestamp)
    )
      this.#decodeNext();
    // Repeating a stretch does not need a whole frame after it.
    if (!shortens) {
      if (decoded.length === 0 && !this.#pull(nowMs)) return;
      maxLag = Math.min(maxLag, decoded.length - scale.window);
    }
    if (maxLag < 1 || decoded.length < maxLag + (shortens ? this.#frame : scale.window)) return;
    scale.search(decoded.samples, total, maxLag);
    if (scale.likeness < plan.requiredLikeness(hurries)) return;
    if (!shortens) decoded.reserve(scale.lag);
    decoded.length = scale.apply(decoded.samples, decoded.length, shortens);
    this.counters[shortens ? 'removedSamples' : 'insertedSamples'] += scale.lag;
    this.#framesSinceChange = 0;
    plan.pending -= (shortens ? scale.lag : -scale.lag) / this.#ratio;
    if (plan.pending === 0) plan.settle();
  }
}
