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
import { createReceiveScratch, receiveRtp, tellDigits } from './receive-packet.ts';
import { createRelays } from './relays.ts';
import { createReporting } from './reports.ts';
import { createSendScratch, sendFrame } from './send-frame.ts';
import { type SendPacket, sendProtected } from './send-packet.ts';
import { createSoundLibrary } from './sound-library.ts';
import { createTurns } from './turns.ts';

/**
 * All mixes and legs of one core, driven from outside: commands, packets and ticks go in, packets and notices come
 * out. It reads no clock and opens no socket, so it runs on a virtual clock as well. `nowMs` is always milliseconds
 * since the epoch on a clock that never steps back.
 */
export interface MediaEngine {
  /** Creates a leg and returns its index for `receive`; undefined when the name is open or the limit is reached. */
  openLeg(leg: string): number | undefined;
  /** False when there is no such leg, or no such codec. */
  connectLeg(leg: string, agreed: AgreedMedia, nowMs: number): boolean;
  /** Says BYE in RTCP and forgets the leg; its index is used again. */
  closeLeg(leg: string, nowMs: number): LegStatistics;
  /** Takes effect at the next tick. A command for a mix or leg that does not exist is counted and does nothing. */
  apply(command: MixCommand, nowMs: number): void;
  /** Keeps a clip, see SoundLibrary; false when it would not fit into the limit. */
  loadClip(name: string, clip: SoundClip, narrow?: Int16Array): boolean;
  dropClip(name: string): void;
  /** A packet that came to the leg's RTP port; `bytes` is read during the call only. */
  receive(leg: number, bytes: Uint8Array, length: number, address: string, port: number, nowMs: number): void;
  /** The same for its RTCP port. */
  receiveReport(
    leg: number,
    bytes: Uint8Array,
    length: number,
    address: string,
    port: number,
    nowMs: number,
  ): void;
  /**
   * One step: a frame of each leg whose turn it is, to be called `phases` times in 20 ms at even distances. `skipped`
   * frames of all legs were left out before: timestamps jump over them.
   */
  tick(nowMs: number, skipped?: number): void;
  /** Hands over what all captures still hold, and ends them. */
  endCaptures(): void;
  /** Renders the built-in sounds, which otherwise happens at their first use and costs up to 30 ms. */
  warmUp(): void;
  /** Sources that reach a leg without an edge: 0, or the engine is broken. A check for tests and for a slow timer. */
  countLeaks(): number;
  census(): EngineCensus;
  /** Sound to and from programs. */
  readonly streams: EngineStreams;
  readonly counters: Readonly<EngineCounters>;
}

/** Everything that an engine needs from outside. */
export interface MediaEngineDeps {
  readonly send: SendPacket;
  readonly sendReport: SendPacket;
  readonly notify: (notice: MediaNotice) => void;
  /** Takes what is captured; captures are refused without it. It keeps the samples: a chunk is filled once. */
  readonly captured?: TakeCaptured;
  /** Uniform in [0, 1): stream identifiers, start numbers, report intervals. */
  readonly random: () => number;
  /** Names this engine in RTCP, e.g. a random word. */
  readonly cname: string;
  /** Opens Opus for one leg, for what the other side's `a=fmtp` says; legs cannot speak it when left out. */
  readonly openOpus?: (parameters: string) => AudioCodec;
  /** See LatchOptions; no address when left out. */
  readonly isAdmitted?: (address: string) => boolean;
  /** For SRTP; legs that are to be protected are not connected when left out. */
  readonly ciphers?: SrtpCiphers;
  /** RTP that stays away for this long is told; default 60,000. */
  readonly mediaSilentMs?: number;
  /**
   * Into how many steps the 20 ms of a frame are divided; 1 when left out. With more, each mix has its turn when the packets
   * of its members have just come, and the work is spread.
   */
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
    if (notice.type === 'digit') streams.tellKey(notice.leg, notice.digit, notice.durationMs, 'event');
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
  const feeds = createFeeds({ find: (name) => byName.get(name), stir: hearing.stir });
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
  /** The longer of what it says and hears; that of a telephone before it is connected. */
  const frameSamplesOf = (name: string): number => {
    const leg = byName.get(name);
    return leg === undefined ? 0 : Math.max(leg.source.frame.length, leg.ear.frameSamples);
  };

  const openLeg = (name: string, source: Source): Leg | undefined => {
    if (byName.has(name) || byName.size >= limits.legs) return undefined;
    const index = holes.pop() ?? legs.length;
    const leg = createLeg({
      name,
      index,
      source,
      ear: hearing.openEar(name, source, createTurn(index % phases)),
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
    hearing.closeEar(name);
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
        if (leg.ear.mix !== undefined) noteChange(leg.ear.mix);
      }
      const listened = leg.listens;
      // RFC 7160 §4.1: with another clock our stream gets another SSRC, and the old one says goodbye.
      if (leg.agreed !== undefined && changesClock(leg, agreed)) reporting.send(leg, nowMs, true);
      const { protection, unprotected, keys } = leg;
      leg.protection = protectionOf(protection, agreed.protection, deps.ciphers, unprotected, keys);
      connectLeg(leg, agreed, nowMs);
      turns.weigh(leg, leg.codec.name);
      // Who has just agreed has the whole time again: a phone may say nothing before it answers the call.
      leg.heardMs = nowMs;
      leg.silenceTold = false;
      hearing.changeRate(name, leg.source, leg.codec.frameSamples);
      relays.end(leg);
      feeds.changed(name);
      if (leg.taps !== undefined) leg.taps.isPresent = true;
      // A key whose end nobody will hear any more ends here, not when the leg listens again.
      if (listened && !leg.listens) tellDigits(leg, leg.digitsIn.expire(Number.POSITIVE_INFINITY), notify);
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
        if (leg.agreed === undefined || !turns.isDue(leg) || turns.putsOff(leg)) continue;
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
        if (leg.ear.partner !== undefined && leg.relayIn === undefined) relays.consider(leg, nowMs);
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
        if (from?.ear.isSettled && leg!.ear.isSettled && !hearing.hears(leg!.name, from.source)) leaks++;
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
        // Whoever waits for its end shall not wait for ever.
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
        // Whoever waits for its end shall not wait for ever.
        deps.captured?.(command.capture, 0, new Int16Array(0), true, 50 * TELEPHONE_FRAME);
        return false;
      case 'watch-voice': {
        const leg = byName.get(command.leg);
        if (leg === undefined) return false;
        leg.voice = command.watched ? (leg.voice ?? createVoiceActivity()) : undefined;
        if (!command.watched) leg.voiceTold = undefined;
        relays.end(leg);
        return true;
      }
    }
  }
}
