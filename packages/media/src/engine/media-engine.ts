import type { TakeCaptured } from '../capture/capture.ts';
import { createCaptures } from '../capture/captures.ts';
import type { AudioCodec, CodecName } from '../codec/audio-codec.ts';
import { codecFor } from '../codec/codec-for.ts';
import { createVoiceActivity } from '../dsp/voice-activity.ts';
import { createHearing } from '../mix/hearing.ts';
import type { Source } from '../mix/source.ts';
import { createTurn, noteChange } from '../mix/turn.ts';
import { looksLikeRtcp } from '../rtp/rtp-packet.ts';
import type { SrtpCiphers } from '../rtp/srtp-suite.ts';
import { createEngineStreams, type EngineStreams } from '../stream/engine-streams.ts';
import { createFeeds } from '../stream/feeds.ts';
import { becomeVirtual } from '../stream/virtual-leg.ts';
import {
  type AgreedMedia,
  type LegStatistics,
  type MediaNotice,
  type MixCommand,
  noStatistics,
  type SoundClip,
} from './commands.ts';
import {
  defaultEngineLimits,
  type EngineCensus,
  type EngineCounters,
  type EngineLimits,
} from './engine-limits.ts';
import { type Leg, sharedCodecs } from './leg.ts';
import { canSpeak, changesClock, closeCodecs, connectLeg, createLeg } from './leg-connection.ts';
import { canProtect, protectionOf } from './leg-protection.ts';
import { statisticsOf } from './leg-statistics.ts';
import { type Listening, listen } from './listen.ts';
import { createReceiveScratch, emitDigits, receiveRtp } from './receive-packet.ts';
import { createRelays } from './relays.ts';
import { createReporting } from './reports.ts';
import { createSendScratch, sendFrame } from './send-frame.ts';
import { type SendPacket, sendProtected } from './send-packet.ts';
import { createSoundLibrary } from './sound-library.ts';
import { createTurns } from './turns.ts';

/**
 * The mixes and legs of one media thread. Commands, packets and ticks are its inputs; packets and notices are its
 * outputs. It reads no clock and opens no socket, so it also runs on a virtual clock. `nowMs` is milliseconds since the
 * epoch and never decreases.
 */
export interface MediaEngine {
  /** Creates a leg and returns its index for `receive`; undefined when the name is in use or the limit is reached. */
  openLeg(leg: string): number | undefined;
  /** False when there is no such leg, codec or cipher. */
  connectLeg(leg: string, agreed: AgreedMedia, nowMs: number): boolean;
  /** Sends an RTCP BYE and forgets the leg. Its index is used again. */
  closeLeg(leg: string, nowMs: number): LegStatistics;
  /** Takes effect at the next tick. A command for an unknown mix or leg is counted as ignored. */
  apply(command: MixCommand, nowMs: number): void;
  /** Keeps a clip (see SoundLibrary); false when it does not fit into the limit. */
  loadClip(name: string, clip: SoundClip, narrow?: Int16Array): boolean;
  dropClip(name: string): void;
  /** Handles a packet that arrived on the leg's RTP port. `bytes` is read during the call only. */
  receive(leg: number, bytes: Uint8Array, length: number, address: string, port: number, nowMs: number): void;
  /** Handles a packet that arrived on the leg's RTCP port. */
  receiveReport(
    leg: number,
    bytes: Uint8Array,
    length: number,
    address: string,
    port: number,
    nowMs: number,
  ): void;
  /**
   * Runs one step: one frame of each due leg. Call it `phases` times in 20 ms, at even intervals. All legs missed
   * `skipped` frames before it: timestamps jump over them.
   */
  tick(nowMs: number, skipped?: number): void;
  /** Emits the samples that the captures still hold, then ends the captures. */
  endCaptures(): void;
  /** Renders the built-in sounds in advance. Without it, the first use renders them and takes up to 30 ms. */
  warmUp(): void;
  /** Counts the sources that reach a leg without an edge. Anything but 0 is a bug. For tests and a slow timer. */
  countLeaks(): number;
  census(): EngineCensus;
  /** Audio to and from programs. */
  readonly streams: EngineStreams;
  readonly counters: Readonly<EngineCounters>;
}

/** What an engine needs from outside. */
export interface MediaEngineDeps {
  readonly send: SendPacket;
  readonly sendReport: SendPacket;
  readonly notify: (notice: MediaNotice) => void;
  /** Receives captured samples and owns them: each chunk is a new array. Captures are refused without it. */
  readonly captured?: TakeCaptured;
  /** Uniform in [0, 1): for stream identifiers, start numbers and report intervals. */
  readonly random: () => number;
  /** The CNAME of this engine in RTCP, for example a random word. */
  readonly cname: string;
  /** Opens Opus for one leg with the other side's `a=fmtp`. Without it, legs have no Opus. */
  readonly openOpus?: (parameters: string) => AudioCodec;
  /** See LatchOptions; admits no address when left out. */
  readonly isAdmitted?: (address: string) => boolean;
  /** For SRTP. Without it, legs that need SRTP are not connected. */
  readonly ciphers?: SrtpCiphers;
  /** A leg without RTP for this long emits `media-silent`; default 60,000. */
  readonly mediaSilentMs?: number;
  /** Steps in the 20 ms of a frame; default 1. With more, each mix runs soon after its members' packets arrive. */
  readonly phases?: number;
  readonly limits?: Partial<EngineLimits>;
}

/** Samples of 20 ms at 8 kHz. */
const TELEPHONE_FRAME = 160;

/** Creates an engine without legs and mixes. */
export function createMediaEngine(deps: MediaEngineDeps): MediaEngine {
  const { sendReport, random, mediaSilentMs = 60_000, phases = 1 } = deps;
  const limits = { ...defaultEngineLimits, ...deps.limits };
  const notify = (notice: MediaNotice): void => {
    if (notice.type === 'digit') streams.emitKey(notice.leg, notice.digit, notice.durationMs, 'event');
    deps.notify(notice);
  };
  const random32 = (): number => Math.floor(random() * 2 ** 32) >>> 0;

  const counters = { ticks: 0, early: 0, ignored: 0, digitsRefused: 0, relayed: 0 };
  const captures = createCaptures({
    frameSamplesFor: (names) => Math.max(TELEPHONE_FRAME, ...names.map(frameSamplesOf)),
    phases,
    chunkFrames: Math.max(1, Math.round(limits.captureChunkMs / 20)),
    mostCaptures: deps.captured === undefined ? 0 : limits.captures,
    mostTaps: limits.taps,
    mostTracks: limits.tracksPerCapture,
    mostLegs: 2 * limits.membersPerMix,
    take: (...chunk) => deps.captured?.(...chunk),
    attach(name, taps) {
      const leg = byName.get(name);
      if (leg !== undefined) {
        leg.taps = taps;
        relays.end(leg);
      }
      return leg?.agreed !== undefined;
    },
  });
  const sendScratch = createSendScratch(captures);
  const receiveScratch = createReceiveScratch();
  const { plain } = receiveScratch;
  const hearing = createHearing({
    codecs: sharedCodecs,
    playEnded: (mix, key) => notify({ type: 'play-ended', mix, key }),
    joined: (leg, mix) => turns.join(byName.get(leg)!, mix),
    feedsOf: (leg) => feeds.of(leg),
  });
  const feeds = createFeeds({ find: (name) => byName.get(name), refresh: hearing.refresh });
  /** By index; a closed leg leaves a hole that is filled first. */
  const legs: (Leg | undefined)[] = [];
  const send = sendProtected(deps.send, legs);
  const relays = createRelays({
    find: (name) => byName.get(name),
    send,
    packetsPerSecond: limits.relayedPerSecond,
    counters,
  });
  const reporting = createReporting({ sendPacket: deps.send, sendReport, random, cname: deps.cname, plain });
  const sounds = createSoundLibrary(limits.clipSamples);

  const listening: Listening = { notify, mediaSilentMs, moveFeed: feeds.move };
  const byName = new Map<string, Leg>();
  const holes: number[] = [];
  const turns = createTurns(phases, (name) => byName.get(name));
  let sourceIds = 0;
  const createSource = (frameSamples: number): Source => ({
    id: ++sourceIds,
    frame: new Int16Array(frameSamples),
    active: false,
  });
  const openCodec = (
    name: CodecName,
    clockRate: number | undefined,
    parameters: string,
  ): AudioCodec | undefined => (name === 'opus' ? deps.openOpus?.(parameters) : codecFor(name, clockRate));
  /** The longer of the frames that the leg sends and hears; the telephone frame before it is connected. */
  const frameSamplesOf = (name: string): number => {
    const leg = byName.get(name);
    return leg === undefined ? 0 : Math.max(leg.source.frame.length, leg.hearing.frameSamples);
  };

  const openLeg = (name: string, source: Source): Leg | undefined => {
    if (byName.has(name) || byName.size >= limits.legs) return undefined;
    const index = holes.pop() ?? legs.length;
    const leg = createLeg({
      name,
      index,
      source,
      hearing: hearing.openLeg(name, source, createTurn(index % phases)),
      random32,
      openCodec,
      createSource,
      queuedDigits: limits.queuedDigits,
      maxDelayMs: limits.jitterMs,
      ...(deps.isAdmitted === undefined ? {} : { isAdmitted: deps.isAdmitted }),
    });
    byName.set(name, leg);
    legs[index] = leg;
    leg.taps = captures.tapsOf(name);
    turns.add(leg);
    return leg;
  };
  const closeLeg = (name: string, nowMs: number): LegStatistics => {
    const leg = byName.get(name);
    if (leg === undefined) return noStatistics;
    reporting.send(leg, nowMs, true);
    byName.delete(name);
    legs[leg.index] = undefined;
    holes.push(leg.index);
    turns.remove(leg);
    hearing.closeLeg(name);
    feeds.changed(name);
    relays.forget(leg);
    closeCodecs(leg);
    if (leg.taps !== undefined) leg.taps.isPresent = false;
    return statisticsOf(leg);
  };
  const streams = createEngineStreams({
    captures,
    feeds,
    createSource,
    mostFeeds: limits.feeds,
    openVirtualLeg(name, feed) {
      const leg = openLeg(name, feed.source);
      if (leg === undefined) return false;
      becomeVirtual(leg, feed);
      if (leg.taps !== undefined) leg.taps.isPresent = true;
      return true;
    },
    closeLeg: (name) => closeLeg(name, 0),
    pressKeys: (leg, digits) => applyCommand({ do: 'send-digits', leg, digits }),
  });

  return {
    openLeg: (name) => openLeg(name, createSource(TELEPHONE_FRAME))?.index,
    connectLeg(name, agreed, nowMs) {
      const leg = byName.get(name);
      if (leg === undefined || !canSpeak(leg, agreed) || !canProtect(agreed, deps.ciphers, leg.keys))
        return false;
      if (leg.agreed === undefined) {
        reporting.schedule(leg, nowMs);
        if (leg.hearing.mix !== undefined) noteChange(leg.hearing.mix);
      }
      const listened = leg.listens;
      // RFC 7160 §4.1: a new clock rate needs a new SSRC; the old stream ends with BYE.
      if (leg.agreed !== undefined && changesClock(leg, agreed)) reporting.send(leg, nowMs, true);
      const { protection, unprotected, keys } = leg;
      leg.protection = protectionOf(protection, agreed.protection, deps.ciphers, unprotected, keys);
      connectLeg(leg, agreed, nowMs);
      turns.weigh(leg, leg.codec.name);
      // Restart the silence timer: a phone may send nothing before it answers the call.
      leg.heardMs = nowMs;
      leg.silenceReported = false;
      hearing.changeRate(name, leg.source, leg.codec.frameSamples);
      relays.end(leg);
      feeds.changed(name);
      if (leg.taps !== undefined) leg.taps.isPresent = true;
      // The leg no longer receives, so a key that is still pressed ends now and not when it receives again.
      if (listened && !leg.listens) emitDigits(leg, leg.digitsIn.expire(Number.POSITIVE_INFINITY), notify);
      return true;
    },
    closeLeg,
    apply(command) {
      if (!applyCommand(command)) counters.ignored++;
    },
    loadClip: (name, clip, narrow) => sounds.loadClip(name, clip, narrow),
    dropClip: (name) => sounds.dropClip(name),
    receive(index, bytes, length, address, port, nowMs) {
      const leg = legs[index];
      if (leg?.agreed === undefined) counters.early++;
      else if (looksLikeRtcp(bytes, length)) reporting.receive(leg, bytes, length, address, port, nowMs);
      else receiveRtp(leg, bytes, length, address, port, nowMs, receiveScratch, notify);
    },
    receiveReport(index, bytes, length, address, port, nowMs) {
      const leg = legs[index];
      if (leg?.agreed === undefined) counters.early++;
      else reporting.receive(leg, bytes, length, address, port, nowMs);
    },
    tick(nowMs, skipped = 0) {
      counters.ticks++;
      turns.begin(nowMs, skipped);
      if (skipped > 0) {
        for (const leg of legs) if (leg?.relayIn === undefined) leg?.rtp.skip(skipped * leg.units);
        captures.skip(skipped);
      }
      hearing.settle();
      const { step } = turns;
      const present = turns.present();
      for (let k = 0; k < present.length; k++) {
        const leg = present[k]!;
        if (leg.agreed === undefined || !turns.isDue(leg) || turns.defers(leg)) continue;
        leg.turn.lastStep = step;
        listen(leg, nowMs, listening);
        if (leg.taps !== undefined)
          captures.keep(leg.taps.said, leg.source.active ? leg.source.frame : undefined);
      }
      for (let k = 0; k < present.length; k++) {
        const leg = present[k]!;
        if (leg.relayIn !== undefined && leg.turn.lastStep === step) relays.decide(leg, nowMs);
      }
      hearing.advancePlays(step, phases);
      feeds.advance(step);
      for (let k = 0; k < present.length; k++) {
        const leg = present[k]!;
        if (leg.turn.lastStep !== step) continue;
        if (leg.sends) sendFrame(leg, step, sendScratch, send);
        else {
          leg.rtp.skip(leg.units);
          if (leg.taps !== undefined) captures.keep(leg.taps.heard, undefined);
        }
        if (nowMs >= leg.reportDueMs) reporting.send(leg, nowMs, false);
        if (leg.hearing.partner !== undefined && leg.relayIn === undefined) relays.consider(leg, nowMs);
        turns.note(leg, nowMs);
      }
      feeds.sent();
      captures.step();
      turns.end(nowMs);
    },
    endCaptures: () => captures.endAll(),
    warmUp: () => sounds.warmUp(),
    countLeaks() {
      let leaks = hearing.countLeaks();
      for (const leg of legs) {
        const from = leg?.relayIn?.isOpen === true ? leg.relayIn.from : undefined;
        if (from?.hearing.isSettled && leg!.hearing.isSettled && !hearing.hears(leg!.name, from.source))
          leaks++;
      }
      return leaks;
    },
    streams,
    census: () => ({
      legs: byName.size,
      clips: sounds.clips,
      captures: captures.size(),
      ...hearing.census(),
    }),
    get counters() {
      return { ...counters, ...sendScratch.counters };
    },
  };

  function applyCommand(command: MixCommand): boolean {
    switch (command.do) {
      case 'open-mix':
        return hearing.census().mixes < limits.mixes && hearing.openMix(command.mix);
      case 'close-mix':
        return hearing.closeMix(command.mix);
      case 'set-hearing':
        if (command.members.length > limits.membersPerMix) return false;
        return hearing.setHearing(command.mix, command.members);
      case 'play': {
        hearing.stopPlay(command.mix, command.key);
        const rate = 50 * Math.max(TELEPHONE_FRAME, ...command.to.map(frameSamplesOf));
        const play = sounds.play(++sourceIds, command.sound, command.loop, rate);
        if (play !== undefined && hearing.countPlays(command.mix) < limits.playsPerMix) {
          const { mix, key, to, alone = false } = command;
          if (hearing.play(mix, key, to, play, alone)) return true;
        }
        // The requester waits for the end of the play, so refusal must end it too (as for a capture below).
        notify({ type: 'play-ended', mix: command.mix, key: command.key });
        return false;
      }
      case 'stop-play':
        return hearing.stopPlay(command.mix, command.key);
      case 'send-digits': {
        const leg = byName.get(command.leg);
        if (leg === undefined) return false;
        if (leg.eventPayloadType < 0 || leg.digitsOut.queue(command.digits) === 0) counters.digitsRefused++;
        else {
          leg.pressesKeys = true;
          relays.end(leg);
        }
        return true;
      }
      case 'capture':
        return captures.capture(command.capture, command.tracks);
      case 'pause-capture':
        return captures.pause(command.capture, command.paused);
      case 'end-capture':
        if (captures.end(command.capture)) return true;
        deps.captured?.(command.capture, 0, new Int16Array(0), true, 50 * TELEPHONE_FRAME);
        return false;
      case 'watch-voice': {
        const leg = byName.get(command.leg);
        if (leg === undefined) return false;
        leg.voice = command.watched ? (leg.voice ?? createVoiceActivity()) : undefined;
        if (!command.watched) leg.reportedVoice = undefined;
        relays.end(leg);
        return true;
      }
    }
  }
}
