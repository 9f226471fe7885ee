import type { TakeCaptured } from '../capture/capture.ts';
import type { Captures } from '../capture/captures.ts';
import { createAnswerSounds } from '../dsp/answer-sounds.ts';
import { createVoiceActivity } from '../dsp/voice-activity.ts';
import type { Hearing } from '../mix/hearing-interface.ts';
import type { PressedKeys } from '../stream/engine-streams.ts';
import type { MediaNotice, MixCommand } from './commands.ts';
import type { EngineLimits } from './engine-limits.ts';
import type { Leg } from './leg.ts';
import type { Relays } from './relays.ts';
import type { SoundLibrary } from './sound-library.ts';

/** The rate of a telephone, at which a refused capture ends. */
const TELEPHONE_RATE = 8000;

/** The parts of an engine that commands change. */
export interface CommandDeps {
  readonly limits: EngineLimits;
  readonly find: (leg: string) => Leg | undefined;
  readonly hearing: Hearing;
  readonly captures: Captures;
  readonly relays: Relays;
  readonly sounds: SoundLibrary;
  readonly counters: { digitsRefused: number };
  readonly captured: TakeCaptured | undefined;
  readonly notify: (notice: MediaNotice) => void;
  readonly nextSourceId: () => number;
  /** The longest frame of these legs. */
  readonly frameSamplesOf: (legs: readonly string[]) => number;
}

type CommandOf<Do extends MixCommand['do']> = Extract<MixCommand, { readonly do: Do }>;

/** What changes the parts of an engine. */
export interface Commands {
  /** Applies one command; false for an unknown mix or leg, and above a limit. */
  apply(command: MixCommand): boolean;
  /** Undefined for a leg without a phone. */
  pressKeys(leg: string, digits: string): PressedKeys | undefined;
}

/** The commands of one engine. */
export function createCommands(deps: CommandDeps): Commands {
  return {
    apply: applier(deps),
    pressKeys(name, digits) {
      const leg = deps.find(name);
      return leg === undefined ? undefined : pressKeys(leg, digits, deps);
    },
  };
}

function applier(deps: CommandDeps): Commands['apply'] {
  const { hearing, captures, limits } = deps;
  return (command) => {
    switch (command.do) {
      case 'open-mix':
        return hearing.census().mixes < limits.mixes && hearing.openMix(command.mix);
      case 'close-mix':
        return hearing.closeMix(command.mix);
      case 'set-hearing':
        if (command.members.length > limits.membersPerMix) return false;
        return hearing.setHearing(command.mix, command.members);
      case 'play':
        return play(command, deps);
      case 'stop-play':
        return hearing.stopPlay(command.mix, command.key);
      case 'send-digits':
        return sendDigits(command, deps);
      case 'capture':
        return captures.capture(command.capture, command.tracks);
      case 'pause-capture':
        return captures.pause(command.capture, command.paused);
      case 'end-capture':
        if (captures.end(command.capture)) return true;
        deps.captured?.(command.capture, 0, new Int16Array(0), true, TELEPHONE_RATE);
        return false;
      case 'watch-voice':
        return watchVoice(command, deps);
      case 'watch-answer':
        return watchAnswer(command, deps);
    }
  };
}

function play(command: CommandOf<'play'>, deps: CommandDeps): boolean {
  const { hearing, limits, sounds } = deps;
  hearing.stopPlay(command.mix, command.key);
  const rate = 50 * deps.frameSamplesOf(command.to);
  const play = sounds.play(deps.nextSourceId(), command.sound, command.loop, rate);
  if (play !== undefined && hearing.countPlays(command.mix) < limits.playsPerMix) {
    const { mix, key, to, alone = false } = command;
    if (hearing.play(mix, key, to, play, alone, command)) return true;
  }
  // The requester waits for the end of the play, so refusal must end it too (as for a capture).
  deps.notify({ type: 'play-ended', mix: command.mix, key: command.key, because: 'refused' });
  return false;
}

function sendDigits({ leg: name, digits, pressedBy }: CommandOf<'send-digits'>, deps: CommandDeps): boolean {
  const leg = deps.find(name);
  const sender = pressedBy === undefined ? undefined : deps.find(pressedBy);
  const isRelayed = sender !== undefined && sender.keyRelayedMs === sender.keyMs;
  if (leg !== undefined && !isRelayed) pressKeys(leg, digits, deps);
  return leg !== undefined;
}

function pressKeys(
  leg: Leg,
  digits: string,
  { counters, relays, notify }: CommandDeps,
): PressedKeys | undefined {
  if (leg.agreed?.reportsKeys) {
    notify({ type: 'keys-to-send', leg: leg.name, digits });
    return 'taken';
  }
  if (leg.eventPayloadType < 0) {
    counters.digitsRefused++;
    return leg.streamSource === undefined ? 'no-events' : undefined;
  }
  if (leg.digitsOut.queue(digits) === 0) {
    counters.digitsRefused++;
    return 'queue-full';
  }
  leg.pressesKeys = true;
  relays.end(leg);
  return 'taken';
}

function watchVoice(command: CommandOf<'watch-voice'>, { find, relays }: CommandDeps): boolean {
  const leg = find(command.leg);
  if (leg === undefined) return false;
  leg.voice = command.watched ? (leg.voice ?? createVoiceActivity()) : undefined;
  if (!command.watched) leg.reportedVoice = undefined;
  relays.end(leg);
  return true;
}

function watchAnswer(command: CommandOf<'watch-answer'>, { find, relays }: CommandDeps): boolean {
  const leg = find(command.leg);
  if (leg === undefined) return false;
  leg.answer = command.watched ? (leg.answer ?? createAnswerSounds()) : undefined;
  relays.end(leg);
  return true;
}
