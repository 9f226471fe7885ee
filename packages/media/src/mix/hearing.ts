import type { Play } from '../playout/play.ts';
import { type Audiences, createAudiences, type Listener, type Seat } from './resolve-audiences.ts';
import type { Source } from './source.ts';
import { createMixTurn, type MixTurn, noteChange, type Turn } from './turn.ts';

/** A leg as the mixes see it: what it says and from where it hears. */
export interface Ear {
  readonly leg: string;
  /** What it says; another one when its rate changes. */
  source: Source;
  /** Samples of the frames that it is sent. */
  frameSamples: number;
  readonly turn: Turn;
  /** With which mix it has its turn: the one that it is a member of, else one that plays to it. */
  mix: MixTurn | undefined;
  /** While it has its turn with none: its own, where somebody waits for its frames. */
  solo: MixTurn | undefined;
  /** Undefined while it hears nothing. */
  seat: Seat | undefined;
  /** The other member of a mix of two, where it hears that one and nothing else. */
  partner: string | undefined;
  /** It speaks to two or more, in a mix: brought to the level of the others. Two among themselves hear each other as they are. */
  isLevelled: boolean;
  /** Is sent noise instead of silence while nobody speaks: in such a mix, unless something plays to it. */
  isComforted: boolean;
  /** False while a change of what it hears waits for `settle`. */
  isSettled: boolean;
}

/**
 * Who hears whom, for all mixes of an engine. Changes are collected and take effect together in `settle`. What names a mix
 * returns false when it does not exist (or, for `openMix`, exists).
 */
export interface Hearing {
  openMix(mix: string): boolean;
  closeMix(mix: string): boolean;
  /** Replaces membership and edges. A leg is a member of one mix at most: the last one that claims it. */
  setHearing(
    mix: string,
    members: readonly { readonly leg: string; readonly hears: readonly string[] }[],
  ): boolean;
  /** Adds a play for `to`; one with the same key goes. Listeners of plays that are `alone` hear the newest of these only. */
  play(mix: string, key: string, to: readonly string[], source: Play, alone: boolean): boolean;
  /** False when nothing is playing under this key either. */
  stopPlay(mix: string, key: string): boolean;
  countPlays(mix: string): number;
  /** The leg takes the place that memberships and plays hold for its name. */
  openEar(leg: string, source: Source, turn: Turn): Ear;
  /** The leg says something at another rate, or is sent frames of another length. */
  changeRate(leg: string, source: Source, frameSamples: number): void;
  /** The leg leaves its mix; plays lose a listener, and a play that has lost its last one ends. */
  closeEar(leg: string): void;
  /** Makes all changes since the last call effective. Once per step, before the sources move on. */
  settle(): void;
  /** Moves every play on by a frame whose mix has its turn in this step. */
  advancePlays(step: number, phases: number): void;
  /**
   * Compares what each leg is connected to with what the tables say: the number of sources that reach a leg without an
   * edge. Anything but 0 is a fault. A change that waits for `settle` is none: no frame passes before.
   */
  countLeaks(): number;
  /** What it hears beside mixes has changed, see `feedsOf`. */
  stir(leg: string): void;
  /** Whether the leg hears this one, by the tables as they are now. */
  hears(leg: string, other: Source): boolean;
  census(): { mixes: number; plays: number; audiences: number };
}

/** Number of codecs whose payloads listeners can share, and who is told that a play ended. */
export interface HearingDeps {
  readonly codecs: number;
  /** A play reached its end or lost its last listener; not called for one that was stopped or replaced. */
  readonly playEnded: (mix: string, key: string) => void;
  /** The leg has its turn with this mix from now on; called again and again for those where nothing changed. */
  readonly joined: (leg: string, mix: MixTurn) => void;
  /** What a leg hears whatever mix it is in. */
  readonly feedsOf: (leg: string) => Iterable<{ readonly source: Source }> | undefined;
}

interface Mix {
  readonly name: string;
  members: ReadonlyMap<string, readonly string[]>;
  readonly plays: Map<string, RunningPlay>;
  readonly turn: MixTurn;
}

interface RunningPlay {
  isStarted: boolean;
  readonly mix: Mix;
  readonly key: string;
  readonly source: Play;
  readonly to: Set<string>;
  readonly alone: boolean;
}

/** Creates the hearing table of an engine, empty. */
export function createHearing({ codecs, playEnded, joined, feedsOf }: HearingDeps): Hearing {
  const audiences: Audiences = createAudiences(codecs);
  const mixes = new Map<string, Mix>();
  const ears = new Map<string, Ear>();
  const homes = new Map<string, Mix>();
  /** Plays by the leg that hears them. */
  const playsOf = new Map<string, Set<RunningPlay>>();
  const running: RunningPlay[] = [];
  const stale = new Set<string>();

  const mark = (leg: string): void => {
    stale.add(leg);
    const ear = ears.get(leg);
    if (ear !== undefined) ear.isSettled = false;
  };
  const touch = (mix: Mix): void => {
    for (const leg of mix.members.keys()) mark(leg);
  };
  const forget = (play: RunningPlay, leg: string): void => {
    play.to.delete(leg);
    const plays = playsOf.get(leg);
    plays?.delete(play);
    if (plays?.size === 0) playsOf.delete(leg);
    mark(leg);
  };
  const remove = (play: RunningPlay): void => {
    play.mix.plays.delete(play.key);
    running.splice(running.indexOf(play), 1);
    for (const leg of [...play.to]) forget(play, leg);
    touch(play.mix);
  };
  const end = (play: RunningPlay): void => {
    remove(play);
    playEnded(play.mix.name, play.key);
  };
  const leaveMix = (leg: string): void => {
    const home = homes.get(leg);
    if (home === undefined) return;
    homes.delete(leg);
    touch(home);
    const members = new Map(home.members);
    members.delete(leg);
    home.members = members;
    noteChange(home.turn);
  };

  return {
    openMix(name) {
      if (mixes.has(name)) return false;
      const turn = createMixTurn(() => legsOf(mix));
      const mix: Mix = { name, members: new Map(), plays: new Map(), turn };
      mixes.set(name, mix);
      return true;
    },
    closeMix(name) {
      const mix = mixes.get(name);
      if (mix === undefined) return false;
      touch(mix);
      for (const play of [...mix.plays.values()]) remove(play);
      for (const leg of mix.members.keys()) homes.delete(leg);
      mixes.delete(name);
      return true;
    },
    setHearing(name, list) {
      const mix = mixes.get(name);
      if (mix === undefined) return false;
      touch(mix);
      for (const leg of mix.members.keys()) homes.delete(leg);
      const members = new Map<string, readonly string[]>();
      for (const { leg, hears } of list) {
        const former = homes.get(leg);
        if (former !== undefined && former !== mix) {
          leaveMix(leg);
          for (const play of [...former.plays.values()]) if (play.to.has(leg)) forget(play, leg);
        }
        members.set(leg, hears);
        homes.set(leg, mix);
        if (!mix.members.has(leg)) noteChange(mix.turn);
      }
      if (members.size < mix.members.size) noteChange(mix.turn);
      mix.members = members;
      touch(mix);
      return true;
    },
    countPlays: (name) => mixes.get(name)?.plays.size ?? 0,
    play(name, key, to, source, alone) {
      const mix = mixes.get(name);
      if (mix === undefined) return false;
      const former = mix.plays.get(key);
      if (former !== undefined) remove(former);
      const play: RunningPlay = { mix, key, source, to: new Set(to), alone, isStarted: false };
      mix.plays.set(key, play);
      running.push(play);
      for (const leg of play.to) {
        const plays = playsOf.get(leg) ?? new Set();
        playsOf.set(leg, plays.add(play));
        mark(leg);
      }
      touch(mix);
      return true;
    },
    stopPlay(name, key) {
      const play = mixes.get(name)?.plays.get(key);
      if (play === undefined) return false;
      remove(play);
      return true;
    },
    openEar(leg, source, turn) {
      const ear: Ear = {
        leg,
        source,
        frameSamples: source.frame.length,
        turn,
        mix: undefined,
        solo: undefined,
        seat: undefined,
        partner: undefined,
        isLevelled: false,
        isComforted: false,
        isSettled: false,
      };
      ears.set(leg, ear);
      mark(leg);
      const home = homes.get(leg);
      if (home !== undefined) touch(home);
      return ear;
    },
    changeRate(leg, source, frameSamples) {
      const ear = ears.get(leg);
      if (ear === undefined || (ear.source === source && ear.frameSamples === frameSamples)) return;
      const home = homes.get(leg);
      if (ear.source !== source && home !== undefined) touch(home);
      mark(leg);
      ear.source = source;
      ear.frameSamples = frameSamples;
    },
    closeEar(leg) {
      const ear = ears.get(leg);
      if (ear === undefined) return;
      leaveMix(leg);
      for (const play of [...(playsOf.get(leg) ?? [])]) {
        forget(play, leg);
        if (play.to.size === 0) end(play);
      }
      ears.delete(leg);
      stale.delete(leg);
      if (ear.seat !== undefined) audiences.leave(ear.seat);
      ear.seat = undefined;
    },
    settle() {
      if (stale.size === 0) return;
      const touched: Ear[] = [];
      const listeners: Listener[] = [];
      for (const leg of stale) {
        const ear = ears.get(leg);
        if (ear === undefined) continue;
        touched.push(ear);
        ear.mix = mixOf(leg)?.turn;
        if (ear.mix !== undefined) joined(leg, ear.mix);
        listeners.push({ self: ear.source, hears: heardBy(leg), frameSamples: ear.frameSamples });
        ear.partner = partnerOf(leg);
        ear.isLevelled = (homes.get(leg)?.members.size ?? 0) > 2;
        ear.isComforted = ear.isLevelled && !playsOf.has(leg);
        ear.isSettled = true;
      }
      stale.clear();
      // New seats are taken before the old ones are left, so an audience that stays in use keeps its limiter's state.
      const seats = audiences.seat(listeners);
      touched.forEach((ear, index) => {
        const seat = seats[index];
        if (ear.seat !== undefined) {
          if (seat !== undefined) seat.gain = ear.seat.gain;
          audiences.leave(ear.seat);
        }
        ear.seat = seat;
      });
    },
    advancePlays(step, phases) {
      const phase = step % phases;
      // Backwards, because a play that ends leaves the list.
      for (let p = running.length - 1; p >= 0; p--) {
        const play = running[p]!;
        const { turn } = play.mix;
        if (phase !== Math.max(0, turn.phase) || step < turn.dueStep) continue;
        if (!play.isStarted && !isAwaited(play, step)) play.isStarted = true;
        if (!play.isStarted) continue;
        if (!play.source.advance()) end(play);
      }
    },
    countLeaks() {
      let leaks = 0;
      for (const ear of ears.values()) {
        if (ear.seat === undefined || stale.has(ear.leg)) continue;
        const allowed = heardBy(ear.leg);
        for (const source of ear.seat.audience.sources) {
          if (!allowed.has(source) && !(ear.seat.own !== undefined && source === ear.source)) leaks++;
        }
      }
      return leaks;
    },
    stir: mark,
    hears: (leg, other) => heardBy(leg).has(other),
    census: () => ({ mixes: mixes.size, plays: running.length, audiences: audiences.size() }),
  };

  /** A play begins when all who shall hear it from its first frame on have come to its turn. */
  function isAwaited(play: RunningPlay, step: number): boolean {
    for (const leg of play.to) {
      const ear = ears.get(leg);
      if (ear === undefined || ear.mix !== play.mix.turn) continue;
      if (ear.turn.dueStep > step || ear.turn.spared > 0) return true;
    }
    return false;
  }

  function mixOf(leg: string): Mix | undefined {
    const home = homes.get(leg);
    if (home !== undefined) return home;
    for (const play of playsOf.get(leg) ?? []) return play.mix;
    return undefined;
  }

  function* legsOf(mix: Mix): Iterable<string> {
    yield* mix.members.keys();
    for (const play of mix.plays.values()) yield* play.to;
  }

  function partnerOf(leg: string): string | undefined {
    const members = homes.get(leg)?.members;
    const hears = members?.get(leg);
    if (members?.size !== 2 || hears?.length !== 1 || playsOf.has(leg)) return undefined;
    if (feedsOf(leg) !== undefined) return undefined;
    const other = hears[0]!;
    return other !== leg && members.has(other) && ears.has(other) ? other : undefined;
  }

  function heardBy(leg: string): Set<Source> {
    const plays = playsOf.get(leg);
    const alone = plays === undefined ? undefined : newestAlone(plays);
    if (alone !== undefined) return new Set([alone.source]);
    const sources = new Set<Source>();
    const home = homes.get(leg);
    for (const other of home?.members.get(leg) ?? []) {
      // An edge holds between two members only; a name that is not (any more) in the mix is no source.
      const ear = home!.members.has(other) ? ears.get(other) : undefined;
      if (ear !== undefined) sources.add(ear.source);
    }
    for (const play of plays ?? []) sources.add(play.source);
    for (const { source } of feedsOf(leg) ?? []) sources.add(source);
    return sources;
  }
}

function newestAlone(plays: ReadonlySet<RunningPlay>): RunningPlay | undefined {
  let newest: RunningPlay | undefined;
  for (const play of plays) if (play.alone) newest = play;
  return newest;
}
