import type { MixCommand, MixMember, PlayEnd } from '../engine/commands.ts';
import type { Play } from '../playout/play.ts';
import type { Seat } from './resolve-audiences.ts';
import type { Source } from './source.ts';
import type { MixTurn, Turn } from './turn.ts';

/** A leg's entry in the hearing table: its source and what it hears. */
export interface LegHearing {
  readonly leg: string;
  /** The leg's audio; replaced when its rate changes. */
  source: Source;
  /** Samples of a frame sent to the leg. */
  frameSamples: number;
  readonly turn: Turn;
  /** The mix whose turn the leg has: its own mix, else a mix with a play to it. */
  mix: MixTurn | undefined;
  /** The leg's own turn, while it is tapped and in no mix. */
  solo: MixTurn | undefined;
  /** Undefined while the leg hears nothing. */
  seat: Seat | undefined;
  /** The other member of a mix of two, if the leg hears that one and nothing else. */
  partner: string | undefined;
  /** Its partner is not sent the packets of its keys. */
  keepsKeys: boolean;
  /** The leg is in a mix of three or more, which adjusts its level. Two members hear each other at their own levels. */
  isLevelled: boolean;
  /** The leg is sent noise instead of silence: in a mix of three or more, unless a play reaches it. */
  isComforted: boolean;
  /** False while a change of what the leg hears waits for `settle`. */
  isSettled: boolean;
}

/**
 * Who hears whom, in all mixes of an engine. Changes are collected and take effect together in `settle`. Functions that
 * name a mix return false when it does not exist (`openMix`: when it exists).
 */
export interface Hearing {
  openMix(mix: string): boolean;
  closeMix(mix: string): boolean;
  /** Replaces membership and edges. A leg is a member of one mix at most: the last that names it. */
  setHearing(mix: string, members: readonly MixMember[]): boolean;
  /**
   * Adds a play for `to`, in place of one with the same key. Listeners of plays that are `alone` hear only the newest
   * of these. A play `behind` another play waits for its end.
   */
  play(
    mix: string,
    key: string,
    to: readonly string[],
    source: Play,
    alone: boolean,
    order: PlayOrder,
  ): boolean;
  /** Continues a play of another engine after this many frames. */
  seekPlay(mix: string, key: string, frames: number): void;
  /** Its members and plays, for another engine that continues it; undefined for a mix that does not exist. */
  saveMix(mix: string): SavedMix | undefined;
  /** False also when no play has this key. */
  stopPlay(mix: string, key: string): boolean;
  countPlays(mix: string): number;
  /** Adds a leg. Memberships and plays may have named it earlier. */
  openLeg(leg: string, source: Source, turn: Turn): LegHearing;
  /** Sets the leg's source and frame length after a change of rate. */
  changeRate(leg: string, source: Source, frameSamples: number): void;
  /** Removes the leg from its mix and from plays. A play without listeners ends, unless the leg goes on elsewhere. */
  closeLeg(leg: string, goesOn?: boolean): void;
  /** Applies all changes since the last call. Once per step, before the sources advance. */
  settle(): void;
  /** Advances the plays of the mixes whose turn is in this step by one frame. */
  advancePlays(step: number, phases: number): void;
  /**
   * Compares the connections of each leg with the tables. Returns the number of sources that reach a leg without an
   * edge: anything but 0 is a bug. A change that waits for `settle` does not count, because no frame passes before it.
   */
  countLeaks(): number;
  /** The leg's sources outside mixes have changed, see `streamSourcesOf`. */
  refresh(leg: string): void;
  /** Whether the tables let the leg hear this source now. */
  hears(leg: string, other: Source): boolean;
  /** Nothing is played, and no change waits for `settle`. */
  isIdle(): boolean;
  census(): { mixes: number; plays: number; audiences: number };
}

/** What the hearing table needs from the engine; `codecs` is the number of codecs with shared payloads. */
export interface HearingDeps {
  readonly codecs: number;
  /** Not called after a stop or a replacement. */
  readonly playEnded: (mix: string, key: string, because: PlayEnd) => void;
  /** The leg has its turn with this mix from now on; also called when nothing has changed. */
  readonly joined: (leg: string, mix: MixTurn) => void;
  /** The sources that a leg hears in any mix. */
  readonly streamSourcesOf: (leg: string) => Iterable<{ readonly source: Source }> | undefined;
}

/** A mix as plain data. */
export interface SavedMix {
  readonly members: readonly MixMember[];
  readonly plays: readonly SavedPlay[];
}

/** What a play has from its command. Of a play that runs, `behind` is left out. */
export type PlayOrder = Pick<Extract<MixCommand, { readonly do: 'play' }>, 'sound' | 'loop' | 'behind'>;

/** A play of a mix, and how many frames of it were played. */
export interface SavedPlay extends PlayOrder {
  readonly key: string;
  readonly to: readonly string[];
  readonly alone: boolean;
  readonly frames: number;
}
