import type { Captures, SavedCapture } from '../capture/captures.ts';
import { createAnswerSounds } from '../dsp/answer-sounds.ts';
import { createVoiceActivity } from '../dsp/voice-activity.ts';
import type { Hearing, SavedMix } from '../mix/hearing-interface.ts';
import type { SrtpCiphers } from '../rtp/srtp-suite.ts';
import type { AgreedKeys, AgreedMedia, MixCommand } from './commands.ts';
import type { Leg } from './leg.ts';
import { type LegState, prepareLeg, restoreLeg, saveLeg } from './leg-state.ts';

/** What leaves an engine together: legs, with the mixes and captures that follow them. */
export interface MovedNames {
  readonly legs: readonly string[];
  readonly mixes: readonly string[];
  readonly captures: readonly string[];
}

/** What left an engine, as plain data. */
export interface MovedState {
  readonly leftMs: number;
  readonly legs: readonly LegState[];
  readonly mixes: readonly (SavedMix & { readonly mix: string })[];
  readonly captures: readonly (SavedCapture & { readonly capture: string })[];
}

/** Takes legs out of an engine, and puts legs of another engine into it. */
export interface Moves {
  /** Names that the engine does not have are left out. */
  release(names: MovedNames, nowMs: number): MovedState;
  /** Returns the indexes of the legs by their order; undefined where the engine has no slot. */
  adopt(state: MovedState, nowMs: number): readonly (number | undefined)[];
}

/** The parts of an engine that moves change. */
export interface MovesDeps {
  readonly find: (leg: string) => Leg | undefined;
  readonly hearing: Hearing;
  readonly captures: Captures;
  readonly ciphers: SrtpCiphers | undefined;
  readonly open: (leg: string) => Leg | undefined;
  readonly connect: (leg: string, agreed: AgreedMedia, nowMs: number) => boolean;
  readonly secure: (leg: string, keys: AgreedKeys, nowMs: number) => boolean;
  /** Removes the leg without a BYE. */
  readonly remove: (leg: Leg) => void;
  readonly apply: (command: MixCommand) => boolean;
}

const FRAME_MS = 20;
/** A longer absence is a stalled machine; the other side has noticed it anyway. */
const MOST_MISSED = 500;

/** Creates the moves of one engine. */
export function createMoves(deps: MovesDeps): Moves {
  const { find, hearing, captures, apply } = deps;

  const adoptLeg = (state: LegState, missed: number, nowMs: number): number | undefined => {
    const leg = deps.open(state.leg);
    if (leg === undefined) return undefined;
    const { connected, isVoiceWatched, reportedVoice } = state;
    if (isVoiceWatched) leg.voice = createVoiceActivity();
    leg.reportedVoice = reportedVoice;
    if (state.isAnswerWatched) leg.answer = createAnswerSounds();
    if (connected === undefined) return leg.index;
    prepareLeg(leg, connected, deps.ciphers);
    deps.connect(state.leg, connected.agreed, nowMs);
    if (connected.secured !== undefined) deps.secure(state.leg, connected.secured, nowMs);
    restoreLeg(leg, connected, missed);
    return leg.index;
  };

  return {
    release(names, nowMs) {
      // What follows the legs leaves first: a leg that is closed would end it.
      const released = names.captures.flatMap((capture) => {
        const saved = captures.release(capture);
        return saved === undefined ? [] : [{ capture, ...saved }];
      });
      const mixes = names.mixes.flatMap((mix) => {
        const saved = hearing.saveMix(mix);
        hearing.closeMix(mix);
        return saved === undefined ? [] : [{ mix, ...saved }];
      });
      const legs = names.legs.flatMap((name) => {
        const leg = find(name);
        if (leg === undefined) return [];
        const state = saveLeg(leg, nowMs);
        deps.remove(leg);
        return [state];
      });
      return { leftMs: nowMs, legs, mixes, captures: released };
    },
    adopt({ leftMs, legs, mixes, captures: moved }, nowMs) {
      const missed = Math.min(MOST_MISSED, Math.max(0, Math.round((nowMs - leftMs) / FRAME_MS)));
      const indexes = legs.map((state) => adoptLeg(state, missed, nowMs));
      for (const { mix, members, plays } of mixes) {
        apply({ do: 'open-mix', mix });
        if (members.length > 0) apply({ do: 'set-hearing', mix, members });
        for (const { frames, ...play } of plays) {
          apply({ do: 'play', mix, ...play });
          if (play.behind === undefined) hearing.seekPlay(mix, play.key, frames + missed);
        }
      }
      for (const { capture, ...saved } of moved) captures.adopt(capture, saved, missed);
      return indexes;
    },
  };
}
