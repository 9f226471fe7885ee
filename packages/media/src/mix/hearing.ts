import type { MixMember, PlayEnd } from '../engine/commands.ts';
import type { Play } from '../playout/play.ts';
import type { Hearing, HearingDeps, LegHearing, PlayOrder, SavedMix } from './hearing-interface.ts';
import { type Audiences, createAudiences, type Listener } from './resolve-audiences.ts';
import type { Source } from './source.ts';
import { createMixTurn, type MixTurn, noteChange, type Turn } from './turn.ts';

interface Mix {
  readonly name: string;
  members: ReadonlyMap<string, MixMember>;
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
  readonly order: Omit<PlayOrder, 'behind'>;
  /** The play whose end this one waits for; until then it is neither heard nor advanced. */
  before: RunningPlay | undefined;
  /** The play that waits for the end of this one. */
  next: RunningPlay | undefined;
}

/** Creates the hearing table of an engine, empty. */
export function createHearing(deps: HearingDeps): Hearing {
  return new HearingTable(deps);
}

class HearingTable implements Hearing {
  readonly #deps: HearingDeps;
  readonly #audiences: Audiences;
  readonly #mixes = new Map<string, Mix>();
  readonly #entries = new Map<string, LegHearing>();
  readonly #homes = new Map<string, Mix>();
  /** Plays by the leg that hears them. */
  readonly #playsOf = new Map<string, Set<RunningPlay>>();
  readonly #running: RunningPlay[] = [];
  readonly #stale = new Set<string>();

  constructor(deps: HearingDeps) {
    this.#deps = deps;
    this.#audiences = createAudiences(deps.codecs);
  }

  readonly refresh = (leg: string): void => {
    this.#stale.add(leg);
    const entry = this.#entries.get(leg);
    if (entry !== undefined) entry.isSettled = false;
  };

  #touch(mix: Mix): void {
    for (const leg of mix.members.keys()) this.refresh(leg);
  }

  #forget(play: RunningPlay, leg: string): void {
    play.to.delete(leg);
    const plays = this.#playsOf.get(leg);
    plays?.delete(play);
    if (plays?.size === 0) this.#playsOf.delete(leg);
    this.refresh(leg);
  }

  /** Adds it to what its listeners hear. */
  #begin(play: RunningPlay): void {
    this.#running.push(play);
    for (const leg of play.to) {
      const plays = this.#playsOf.get(leg) ?? new Set();
      this.#playsOf.set(leg, plays.add(play));
      this.refresh(leg);
    }
    this.#touch(play.mix);
  }

  /** With what waits behind it. */
  #remove(play: RunningPlay): void {
    if (play.next !== undefined) this.#remove(play.next);
    play.mix.plays.delete(play.key);
    if (play.before !== undefined) {
      play.before.next = undefined;
      return;
    }
    this.#running.splice(this.#running.indexOf(play), 1);
    for (const leg of [...play.to]) this.#forget(play, leg);
    this.#touch(play.mix);
  }

  #end(play: RunningPlay, because: PlayEnd): void {
    const { mix, key, next } = play;
    if (next !== undefined) {
      play.next = undefined;
      next.before = undefined;
      // The listeners have reached the turn of this mix already.
      next.isStarted = play.isStarted;
      this.#begin(next);
    }
    this.#remove(play);
    this.#deps.playEnded(mix.name, key, because);
    if (next?.to.size === 0 && because === 'left') this.#end(next, because);
  }

  #leaveMix(leg: string): void {
    const home = this.#homes.get(leg);
    if (home === undefined) return;
    this.#homes.delete(leg);
    this.#touch(home);
    const members = new Map(home.members);
    members.delete(leg);
    home.members = members;
    noteChange(home.turn);
  }

  openMix(name: string): boolean {
    if (this.#mixes.has(name)) return false;
    const turn = createMixTurn(() => this.#legsOf(mix));
    const mix: Mix = { name, members: new Map(), plays: new Map(), turn };
    this.#mixes.set(name, mix);
    return true;
  }

  closeMix(name: string): boolean {
    const mix = this.#mixes.get(name);
    if (mix === undefined) return false;
    this.#touch(mix);
    for (const play of [...mix.plays.values()]) if (play.before === undefined) this.#remove(play);
    for (const leg of mix.members.keys()) this.#homes.delete(leg);
    this.#mixes.delete(name);
    return true;
  }

  setHearing(name: string, list: readonly MixMember[]): boolean {
    const mix = this.#mixes.get(name);
    if (mix === undefined) return false;
    this.#touch(mix);
    for (const leg of mix.members.keys()) this.#homes.delete(leg);
    const members = new Map<string, MixMember>();
    for (const member of list) {
      const { leg } = member;
      const former = this.#homes.get(leg);
      if (former !== undefined && former !== mix) {
        this.#leaveMix(leg);
        for (const play of [...former.plays.values()]) if (play.to.has(leg)) this.#forget(play, leg);
      }
      members.set(leg, member);
      this.#homes.set(leg, mix);
      if (!mix.members.has(leg)) noteChange(mix.turn);
    }
    if (members.size < mix.members.size) noteChange(mix.turn);
    mix.members = members;
    this.#touch(mix);
    return true;
  }

  saveMix(name: string): SavedMix | undefined {
    const mix = this.#mixes.get(name);
    if (mix === undefined) return undefined;
    const members = [...mix.members.values()];
    const plays = [...mix.plays.values()].map(({ key, to, alone, source, order, before }) => ({
      ...order,
      ...(before === undefined ? {} : { behind: before.key }),
      key,
      to: [...to],
      alone,
      frames: source.frames,
    }));
    return { members, plays };
  }

  countPlays(name: string): number {
    return this.#mixes.get(name)?.plays.size ?? 0;
  }

  play(
    name: string,
    key: string,
    to: readonly string[],
    source: Play,
    alone: boolean,
    { sound, loop, behind }: PlayOrder,
  ): boolean {
    const mix = this.#mixes.get(name);
    if (mix === undefined) return false;
    const former = mix.plays.get(key);
    if (former !== undefined) this.#remove(former);
    const before = behind === undefined ? undefined : mix.plays.get(behind);
    if (before?.next !== undefined) this.#remove(before.next);
    const play: RunningPlay = {
      ...{ mix, key, source, to: new Set(to), alone, order: { sound, loop } },
      ...{ isStarted: false, before, next: undefined },
    };
    mix.plays.set(key, play);
    if (before === undefined) this.#begin(play);
    else before.next = play;
    return true;
  }

  seekPlay(name: string, key: string, frames: number): void {
    const play = this.#mixes.get(name)?.plays.get(key);
    play?.source.seek(frames);
  }

  stopPlay(name: string, key: string): boolean {
    const play = this.#mixes.get(name)?.plays.get(key);
    if (play === undefined) return false;
    this.#remove(play);
    return true;
  }

  openLeg(leg: string, source: Source, turn: Turn): LegHearing {
    const entry: LegHearing = {
      leg,
      source,
      frameSamples: source.frame.length,
      turn,
      mix: undefined,
      solo: undefined,
      seat: undefined,
      partner: undefined,
      keepsKeys: false,
      isLevelled: false,
      isComforted: false,
      isSettled: false,
    };
    this.#entries.set(leg, entry);
    this.refresh(leg);
    const home = this.#homes.get(leg);
    if (home !== undefined) this.#touch(home);
    return entry;
  }

  changeRate(leg: string, source: Source, frameSamples: number): void {
    const entry = this.#entries.get(leg);
    if (entry === undefined || (entry.source === source && entry.frameSamples === frameSamples)) return;
    const home = this.#homes.get(leg);
    if (entry.source !== source && home !== undefined) this.#touch(home);
    this.refresh(leg);
    entry.source = source;
    entry.frameSamples = frameSamples;
  }

  closeLeg(leg: string, goesOn = false): void {
    const entry = this.#entries.get(leg);
    if (entry === undefined) return;
    this.#leaveMix(leg);
    for (const play of [...(this.#playsOf.get(leg) ?? [])]) {
      this.#forget(play, leg);
      play.next?.to.delete(leg);
      if (play.to.size === 0 && !goesOn) this.#end(play, 'left');
    }
    this.#entries.delete(leg);
    this.#stale.delete(leg);
    if (entry.seat !== undefined) this.#audiences.leave(entry.seat);
    entry.seat = undefined;
  }

  settle(): void {
    if (this.#stale.size === 0) return;
    const touched: LegHearing[] = [];
    const listeners: Listener[] = [];
    for (const leg of this.#stale) {
      const entry = this.#entries.get(leg);
      if (entry === undefined) continue;
      touched.push(entry);
      entry.mix = this.#mixOf(leg)?.turn;
      if (entry.mix !== undefined) this.#deps.joined(leg, entry.mix);
      listeners.push({ self: entry.source, hears: this.#heardBy(leg), frameSamples: entry.frameSamples });
      entry.partner = this.#partnerOf(leg);
      const members = this.#homes.get(leg)?.members;
      entry.keepsKeys = members?.get(leg)?.keepsKeys === true;
      entry.isLevelled = (members?.size ?? 0) > 2;
      entry.isComforted = entry.isLevelled && !this.#playsOf.has(leg);
      entry.isSettled = true;
    }
    this.#stale.clear();
    // Take new seats before leaving old ones, so that an audience in use keeps the state of its limiter.
    const seats = this.#audiences.seat(listeners);
    touched.forEach((entry, index) => {
      const seat = seats[index];
      if (entry.seat !== undefined) {
        if (seat !== undefined) seat.gain = entry.seat.gain;
        this.#audiences.leave(entry.seat);
      }
      entry.seat = seat;
    });
  }

  advancePlays(step: number, phases: number): void {
    const phase = step % phases;
    // Backwards, because a play that ends is removed from the list.
    for (let p = this.#running.length - 1; p >= 0; p--) {
      const play = this.#running[p]!;
      const { turn } = play.mix;
      if (phase !== Math.max(0, turn.phase) || step < turn.dueStep) continue;
      if (!play.isStarted && !this.#isAwaited(play, step)) play.isStarted = true;
      if (!play.isStarted) continue;
      const goesOn = play.source.advance();
      // The next one is heard from the next frame on: a play that others wait for ends with its last frame, not with an empty one.
      if (!goesOn || (play.next !== undefined && play.source.isAtEnd)) this.#end(play, 'finished');
    }
  }

  countLeaks(): number {
    let leaks = 0;
    for (const entry of this.#entries.values()) {
      if (entry.seat === undefined || this.#stale.has(entry.leg)) continue;
      const allowed = this.#heardBy(entry.leg);
      for (const source of entry.seat.audience.sources) {
        if (!allowed.has(source) && !(entry.seat.own !== undefined && source === entry.source)) leaks++;
      }
    }
    return leaks;
  }

  hears(leg: string, other: Source): boolean {
    return this.#heardBy(leg).has(other);
  }

  isIdle(): boolean {
    return this.#running.length === 0 && this.#stale.size === 0;
  }

  census(): { mixes: number; plays: number; audiences: number } {
    let plays = 0;
    for (const mix of this.#mixes.values()) plays += mix.plays.size;
    return { mixes: this.#mixes.size, plays, audiences: this.#audiences.size() };
  }

  /** A play waits until every leg of its mix that hears it has reached the mix's turn. */
  #isAwaited(play: RunningPlay, step: number): boolean {
    for (const leg of play.to) {
      const entry = this.#entries.get(leg);
      if (entry === undefined || entry.mix !== play.mix.turn) continue;
      if (entry.turn.dueStep > step || entry.turn.relayedUnits > 0) return true;
    }
    return false;
  }

  #mixOf(leg: string): Mix | undefined {
    const home = this.#homes.get(leg);
    if (home !== undefined) return home;
    for (const play of this.#playsOf.get(leg) ?? []) return play.mix;
    return undefined;
  }

  *#legsOf(mix: Mix): Iterable<string> {
    yield* mix.members.keys();
    for (const play of mix.plays.values()) yield* play.to;
  }

  #partnerOf(leg: string): string | undefined {
    const members = this.#homes.get(leg)?.members;
    const hears = members?.get(leg)?.hears;
    if (members?.size !== 2 || hears?.length !== 1 || this.#playsOf.has(leg)) return undefined;
    if (this.#deps.streamSourcesOf(leg) !== undefined) return undefined;
    const other = hears[0]!;
    return other !== leg && members.has(other) && this.#entries.has(other) ? other : undefined;
  }

  #heardBy(leg: string): Set<Source> {
    const plays = this.#playsOf.get(leg);
    const alone = plays === undefined ? undefined : newestAlone(plays);
    if (alone !== undefined) return new Set([alone.source]);
    const sources = new Set<Source>();
    const home = this.#homes.get(leg);
    for (const other of home?.members.get(leg)?.hears ?? []) {
      // An edge needs two members; a name outside the mix is not a source.
      const entry = home!.members.has(other) ? this.#entries.get(other) : undefined;
      if (entry !== undefined) sources.add(entry.source);
    }
    for (const play of plays ?? []) sources.add(play.source);
    for (const { source } of this.#deps.streamSourcesOf(leg) ?? []) sources.add(source);
    return sources;
  }
}

function newestAlone(plays: ReadonlySet<RunningPlay>): RunningPlay | undefined {
  let newest: RunningPlay | undefined;
  for (const play of plays) if (play.alone) newest = play;
  return newest;
}
