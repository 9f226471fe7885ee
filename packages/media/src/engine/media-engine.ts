import type { Captures, CapturesDeps } from '../capture/captures.ts';
import type { AudioCodec, CodecName } from '../codec/audio-codec.ts';
import { codecFor } from '../codec/codec-for.ts';
import { createHearing } from '../mix/hearing.ts';
import type { Hearing } from '../mix/hearing-interface.ts';
import { createSource, type Source } from '../mix/source.ts';
import { createTurn, noteChange } from '../mix/turn.ts';
import { looksLikeRtcp } from '../rtp/rtp-packet.ts';
import { createEngineStreams, type StreamsOfEngine } from '../stream/engine-streams.ts';
import { StreamSources } from '../stream/stream-sources.ts';
import { becomeVirtual } from '../stream/virtual-leg.ts';
import { type Commands, createCommands } from './apply-command.ts';
import {
  type AgreedKeys,
  type AgreedMedia,
  type LegStatistics,
  type MediaNotice,
  type MixCommand,
  noStatistics,
  type SoundClip,
} from './commands.ts';
import { createEngineCaptures } from './engine-captures.ts';
import type { MediaEngine, MediaEngineDeps } from './engine-interface.ts';
import {
  defaultEngineLimits,
  type EngineCensus,
  type EngineCounters,
  type EngineLimits,
} from './engine-limits.ts';
import { type Leg, sharedCodecs } from './leg.ts';
import { canSpeak, changesClock, connectLeg, createLeg, freeLeg } from './leg-connection.ts';
import { canProtect } from './leg-protection.ts';
import { statisticsOf } from './leg-statistics.ts';
import { type Listening, listen } from './listen.ts';
import { longestFrame, telephoneFrame } from './longest-frame.ts';
import { discardMissed } from './missed-frames.ts';
import { createMoves, type Moves } from './moves.ts';
import { protectLeg, secureLeg } from './protect-leg.ts';
import { createReceiveScratch, emitDigits, receiveRtp } from './receive-packet.ts';
import { isLeaking, Relays } from './relays.ts';
import { createReporting, type Reporting } from './reports.ts';
import { createSendScratch, type SendScratch, sendFrame } from './send-frame.ts';
import { type SendPacket, sendProtected } from './send-packet.ts';
import { type ClipPiece, createSoundLibrary, type SoundLibrary } from './sound-library.ts';
import { createTurns, type Turns } from './turns.ts';

/** Creates an engine without legs and mixes. */
export function createMediaEngine(deps: MediaEngineDeps): MediaEngine {
  return new Engine(deps);
}

class Engine implements MediaEngine {
  readonly streams: StreamsOfEngine;
  readonly moves: Moves;
  readonly #deps: MediaEngineDeps;
  readonly #phases: number;
  readonly #limits: EngineLimits;
  readonly #counters = { ticks: 0, early: 0, ignored: 0, digitsRefused: 0, relayed: 0 };
  /** By index; a closed leg leaves a hole that is filled first. */
  readonly #legs: (Leg | undefined)[] = [];
  readonly #holes: number[] = [];
  readonly #byName = new Map<string, Leg>();
  readonly #find = (name: string): Leg | undefined => this.#byName.get(name);
  readonly #receiveScratch = createReceiveScratch();
  readonly #captures: Captures;
  readonly #sendScratch: SendScratch;
  readonly #hearing: Hearing;
  readonly #streamSources: StreamSources;
  readonly #send: SendPacket;
  readonly #relays: Relays;
  readonly #reporting: Reporting;
  readonly #sounds: SoundLibrary;
  readonly #turns: Turns;
  readonly #listening: Listening;
  readonly #commands: Commands;
  #sourceIds = 0;

  constructor(deps: MediaEngineDeps) {
    const { sendReport, random, cname, mediaSilentMs = 60_000, phases = 1 } = deps;
    this.#deps = deps;
    this.#phases = phases;
    const limits = { ...defaultEngineLimits, ...deps.limits };
    this.#limits = limits;
    const find = this.#find;
    const frameSamplesFor = (legs: readonly string[]) => longestFrame(legs, find);
    const attach = this.#attachTaps;
    this.#captures = createEngineCaptures({
      phases,
      limits,
      captured: deps.captured,
      frameSamplesFor,
      attach,
    });
    this.#sendScratch = createSendScratch(this.#captures, phases);
    this.#hearing = createHearing({
      codecs: sharedCodecs,
      playEnded: (mix, key, because) => this.#notify({ type: 'play-ended', mix, key, because }),
      joined: (leg, mix) => this.#turns.join(find(leg)!, mix),
      streamSourcesOf: (leg) => this.#streamSources.of(leg),
    });
    this.#streamSources = new StreamSources({ find, refresh: this.#hearing.refresh });
    this.#send = sendProtected(deps.send, this.#legs);
    const { relayedPerSecond: packetsPerSecond } = limits;
    this.#relays = new Relays({ find, send: this.#send, packetsPerSecond, counters: this.#counters });
    const { plain } = this.#receiveScratch;
    this.#reporting = createReporting({ sendPacket: deps.send, sendReport, random, cname, plain });
    this.#sounds = createSoundLibrary(limits.clipSamples);
    this.#listening = { notify: this.#notify, mediaSilentMs, moveStreamSource: this.#streamSources.move };
    this.#turns = createTurns(phases, find);
    this.#commands = createCommands({
      limits,
      find,
      hearing: this.#hearing,
      captures: this.#captures,
      relays: this.#relays,
      sounds: this.#sounds,
      counters: this.#counters,
      captured: deps.captured,
      notify: this.#notify,
      nextSourceId: () => ++this.#sourceIds,
      frameSamplesOf: frameSamplesFor,
    });
    this.moves = createMoves({
      find,
      hearing: this.#hearing,
      captures: this.#captures,
      ciphers: deps.ciphers,
      open: (name) => this.#openLeg(name, this.#createSource(telephoneFrame)),
      connect: (name, agreed, nowMs) => this.connectLeg(name, agreed, nowMs),
      secure: (name, keys, nowMs) => this.secureLeg(name, keys, nowMs),
      remove: (leg) => this.#removeLeg(leg, true),
      apply: this.#commands.apply,
    });
    this.streams = this.#createStreams();
  }

  openLeg(name: string): number | undefined {
    return this.#openLeg(name, this.#createSource(telephoneFrame))?.index;
  }

  connectLeg(name: string, agreed: AgreedMedia, nowMs: number): boolean {
    const leg = this.#byName.get(name);
    if (leg === undefined || !canSpeak(leg, agreed)) return false;
    if (!canProtect(agreed.protection, this.#deps.ciphers, leg.keys)) return false;
    if (leg.agreed === undefined) {
      this.#reporting.schedule(leg, nowMs);
      if (leg.hearing.mix !== undefined) noteChange(leg.hearing.mix);
    }
    const listened = leg.listens;
    // RFC 7160 §4.1: a new clock rate needs a new SSRC; the old stream ends with BYE.
    if (leg.agreed !== undefined && changesClock(leg, agreed)) this.#reporting.send(leg, nowMs, true);
    protectLeg(leg, agreed, this.#deps.ciphers);
    connectLeg(leg, agreed, nowMs);
    this.#turns.weigh(leg, leg.codec.name);
    // Restart the silence timer: a phone may send nothing before it answers the call.
    leg.heardMs = nowMs;
    leg.silenceReported = false;
    this.#hearing.changeRate(name, leg.source, leg.codec.frameSamples);
    this.#relays.end(leg);
    this.#streamSources.changed(name);
    if (leg.taps !== undefined) leg.taps.isPresent = true;
    // The leg no longer receives, so a key that is still pressed ends now and not when it receives again.
    if (listened && !leg.listens)
      emitDigits(leg, leg.digitsIn.expire(Number.POSITIVE_INFINITY), this.#notify);
    return true;
  }

  secureLeg(name: string, agreedKeys: AgreedKeys, nowMs: number): boolean {
    return secureLeg(this.#byName.get(name), agreedKeys, this.#deps.ciphers, nowMs);
  }

  closeLeg(name: string, nowMs: number): LegStatistics {
    const leg = this.#byName.get(name);
    if (leg === undefined) return noStatistics;
    this.#reporting.send(leg, nowMs, true);
    this.#removeLeg(leg, false);
    return statisticsOf(leg);
  }

  measureLeg(name: string): LegStatistics | undefined {
    return this.#byName.has(name) ? statisticsOf(this.#byName.get(name)!) : undefined;
  }

  apply(command: MixCommand): void {
    if (!this.#commands.apply(command)) this.#counters.ignored++;
  }

  loadClip(name: string, clip: SoundClip, narrow?: Int16Array): boolean {
    return this.#sounds.loadClip(name, clip, narrow);
  }

  growClip = (name: string, piece: ClipPiece): boolean => this.#sounds.growClip(name, piece);

  dropClip = (name: string): void => this.#sounds.dropClip(name);

  receive(
    index: number,
    bytes: Uint8Array,
    length: number,
    address: string,
    port: number,
    nowMs: number,
  ): boolean {
    const leg = this.#legs[index];
    if (leg?.agreed === undefined) this.#counters.early++;
    else if (!looksLikeRtcp(bytes, length))
      return receiveRtp(leg, bytes, length, address, port, nowMs, this.#receiveScratch, this.#notify);
    else return this.#reporting.receive(leg, bytes, length, address, port, nowMs);
    return false;
  }

  receiveReport(
    index: number,
    bytes: Uint8Array,
    length: number,
    address: string,
    port: number,
    nowMs: number,
  ): void {
    const leg = this.#legs[index];
    if (leg?.agreed === undefined) this.#counters.early++;
    else this.#reporting.receive(leg, bytes, length, address, port, nowMs);
  }

  tick(nowMs: number, skipped = 0): void {
    this.#counters.ticks++;
    this.#turns.begin(nowMs, skipped);
    if (skipped > 0) this.#skip(skipped, nowMs);
    this.#hearing.settle();
    const { step } = this.#turns;
    const present = this.#turns.present();
    this.#listenAll(present, step, nowMs);
    this.#hearing.advancePlays(step, this.#phases);
    this.#streamSources.advance(step);
    this.#sendAll(present, step, nowMs);
    this.#streamSources.sent();
    this.#captures.step();
    this.#turns.end(nowMs);
  }

  isIdle(): boolean {
    const others = this.#captures.size() + this.#captures.taps() + this.#streamSources.size();
    return this.#byName.size + others === 0 && this.#hearing.isIdle();
  }

  rest(frames: number): void {
    this.#turns.rest(frames);
  }

  endCaptures(): void {
    this.#captures.endAll();
  }

  warmUp(): void {
    this.#sounds.warmUp();
  }

  countLeaks(): number {
    let leaks = this.#hearing.countLeaks();
    for (const leg of this.#legs) if (leg !== undefined && isLeaking(leg, this.#hearing)) leaks++;
    return leaks;
  }

  census(): EngineCensus {
    return {
      legs: this.#byName.size,
      clips: this.#sounds.clips,
      captures: this.#captures.size(),
      ...this.#hearing.census(),
    };
  }

  get counters(): Readonly<EngineCounters> {
    return { ...this.#counters, ...this.#sendScratch.counters };
  }

  readonly #notify = (notice: MediaNotice): void => {
    if (notice.type === 'digit') this.streams.emitKey(notice.leg, notice.digit, notice.durationMs, 'event');
    this.#deps.notify(notice);
  };

  readonly #createSource = (frameSamples: number): Source => createSource(++this.#sourceIds, frameSamples);

  readonly #openCodec = (
    name: CodecName,
    clockRate: number | undefined,
    parameters: string,
  ): AudioCodec | undefined =>
    name === 'opus' ? this.#deps.openOpus?.(parameters) : codecFor(name, clockRate);

  readonly #random32 = (): number => Math.floor(this.#deps.random() * 2 ** 32) >>> 0;

  readonly #attachTaps: CapturesDeps['attach'] = (name, taps) => {
    const leg = this.#byName.get(name);
    if (leg === undefined) return false;
    leg.taps = taps;
    this.#relays.end(leg);
    return leg.agreed !== undefined;
  };

  #createStreams(): StreamsOfEngine {
    return createEngineStreams({
      captures: this.#captures,
      streamSources: this.#streamSources,
      createSource: this.#createSource,
      mostStreamSources: this.#limits.streamSources,
      openVirtualLeg: (name, streamSource) => {
        const leg = this.#openLeg(name, streamSource.source);
        if (leg === undefined) return false;
        becomeVirtual(leg, streamSource);
        if (leg.taps !== undefined) leg.taps.isPresent = true;
        return true;
      },
      closeLeg: (name) => this.closeLeg(name, 0),
      pressKeys: this.#commands.pressKeys,
    });
  }

  #openLeg(name: string, source: Source): Leg | undefined {
    const { legs: most, queuedDigits, jitterMs } = this.#limits;
    if (this.#byName.has(name) || this.#byName.size >= most) return undefined;
    const index = this.#holes.pop() ?? this.#legs.length;
    const leg = createLeg({
      name,
      index,
      source,
      hearing: this.#hearing.openLeg(name, source, createTurn(index % this.#phases)),
      random32: this.#random32,
      openCodec: this.#openCodec,
      createSource: this.#createSource,
      queuedDigits,
      maxDelayMs: jitterMs,
      isAdmitted: this.#deps.isAdmitted,
      packet: this.#sendScratch.packet,
    });
    this.#byName.set(name, leg);
    this.#legs[index] = leg;
    leg.taps = this.#captures.tapsOf(name);
    this.#turns.add(leg);
    return leg;
  }

  #removeLeg(leg: Leg, goesOn: boolean): void {
    this.#byName.delete(leg.name);
    this.#legs[leg.index] = undefined;
    this.#holes.push(leg.index);
    this.#turns.remove(leg);
    this.#hearing.closeLeg(leg.name, goesOn);
    this.#streamSources.changed(leg.name);
    this.#relays.forget(leg);
    freeLeg(leg);
    if (leg.taps !== undefined) leg.taps.isPresent = false;
  }

  /** All legs missed this many frames. */
  #skip(frames: number, nowMs: number): void {
    for (const leg of this.#legs) {
      if (leg === undefined) continue;
      if (leg.relayIn === undefined) leg.rtp.skip(frames * leg.units);
      discardMissed(leg, frames, nowMs);
    }
    this.#captures.skip(frames);
  }

  #listenAll(present: readonly Leg[], step: number, nowMs: number): void {
    const turns = this.#turns;
    const captures = this.#captures;
    for (let k = 0; k < present.length; k++) {
      const leg = present[k]!;
      if (leg.agreed === undefined || !turns.isDue(leg) || turns.defers(leg)) continue;
      leg.turn.lastStep = step;
      listen(leg, nowMs, this.#listening);
      if (leg.taps !== undefined)
        captures.keep(leg.taps.said, leg.source.active ? leg.source.frame : undefined);
    }
    for (let k = 0; k < present.length; k++) {
      const leg = present[k]!;
      if (leg.relayIn !== undefined && leg.turn.lastStep === step) this.#relays.decide(leg, nowMs);
    }
  }

  #sendAll(present: readonly Leg[], step: number, nowMs: number): void {
    for (let k = 0; k < present.length; k++) {
      const leg = present[k]!;
      if (leg.turn.lastStep !== step) continue;
      if (leg.sends) sendFrame(leg, step, this.#sendScratch, this.#send);
      else {
        leg.rtp.skip(leg.units);
        if (leg.taps !== undefined) this.#captures.keep(leg.taps.heard, undefined);
      }
      if (nowMs >= leg.reportDueMs) this.#reporting.send(leg, nowMs, false);
      if (leg.hearing.partner !== undefined && leg.relayIn === undefined) this.#relays.consider(leg, nowMs);
      this.#turns.note(leg, nowMs);
    }
  }
}
