import type { CodecName } from '../codec/audio-codec.ts';
import { createMixTurn, type MixTurn, noteChange } from '../mix/turn.ts';
import { choosePhase, type Readiness } from './choose-phase.ts';
import type { Leg } from './leg.ts';

/** A phase is chosen without members that have sent nothing for this long. */
const PATIENCE_MS = 2000;
/**
 * Intervals between checks of a phase, while members are missing and later. A choice from few packets underestimates
 * late ones, and one late member delays the whole mix until the next check.
 */
const IMPATIENT_LOOK_MS = 100;
const LOOK_MS = 2000;
/**
 * The pause between checks doubles with each move after the second, this many times at most. The times at which packets
 * are ready vary, so the best phase does too: a mix that followed it would shift the audio of its listeners every few
 * seconds. 32 s follow phones whose clocks differ by 100 ppm, the most that is usual: 3 ms.
 */
const MOST_DOUBLINGS = 4;
/** A move must save this much waiting, in ms, because every listener's next packet then comes early or late. */
const FIRST_GAIN_MS = 1;
const LATER_GAIN_MS = 2.5;
/**
 * A tapped leg outside mixes delays no other leg, so its turn is deferred by at most this much for a late packet. Its
 * turn can therefore directly follow most of its packets, which keeps the delay of its stream below 5 ms.
 */
const MOST_WAIT_MS = 5;
const FRAME_MS = 20;

/**
 * Work of one turn: receive a packet, mix, send a packet. Measured with benchmarks/ (mix) on a core of 2026. Only the
 * proportions matter, and that a full step counts as full.
 */
const USUAL_WORK_MS = 0.012;
const workMsOf: Partial<Record<CodecName, number>> = { G722: 0.042, opus: 0.22 };

/** Assigns legs to steps, and moves mixes to the phase that suits the arrival of their members' packets. */
export interface Turns {
  /** The current step. */
  readonly step: number;
  /** Begins the next step, after `skipped` whole frames. */
  begin(nowMs: number, skipped: number): void;
  /** Skips this many whole frames in which there was no leg. */
  rest(frames: number): void;
  /** The legs of this phase, due or not. */
  present(): readonly Leg[];
  isDue(leg: Leg): boolean;
  /**
   * Defers a due leg by one step while its audio is late; only a tapped leg outside mixes, and a limited number of
   * times.
   */
  defers(leg: Leg): boolean;
  add(leg: Leg): void;
  remove(leg: Leg): void;
  /** Sets the codec of the leg, which determines its work. */
  weigh(leg: Leg, codec: CodecName): void;
  /** Moves the leg to the phase of its mix. Its next frame is delayed by less than a frame. */
  join(leg: Leg, mix: MixTurn): void;
  /** To be called for each leg after its turn; collects the mixes whose phase is due for a check. */
  note(leg: Leg, nowMs: number): void;
  /** Ends the step: moves collected mixes to the phase in which their members wait least. */
  end(nowMs: number): void;
}

/** Divides frames of 20 ms into this many phases. `find` returns a leg by name when its mix moves. */
export function createTurns(phases: number, find: (leg: string) => Leg | undefined): Turns {
  return new PhasedTurns(phases, find);
}

class PhasedTurns implements Turns {
  step = 0;
  readonly #phases: number;
  readonly #stepMs: number;
  readonly #find: (leg: string) => Leg | undefined;
  readonly #byPhase: Leg[][];
  /** Work of the legs of each phase, in ms. */
  readonly #work: Float64Array;
  readonly #noted: MixTurn[] = [];
  readonly #late: Leg[] = [];
  readonly #mostWaits: number;
  /** The time of step 0 if no step had been late. */
  #originMs = Number.POSITIVE_INFINITY;

  constructor(phases: number, find: (leg: string) => Leg | undefined) {
    this.#phases = phases;
    this.#stepMs = FRAME_MS / phases;
    this.#find = find;
    this.#byPhase = Array.from({ length: phases }, () => []);
    this.#work = new Float64Array(phases);
    this.#mostWaits = Math.floor(MOST_WAIT_MS / this.#stepMs);
  }

  begin(nowMs: number, skipped: number): void {
    this.step += 1 + skipped * this.#phases;
    const origin = nowMs - this.step * this.#stepMs;
    // Steps are late, never early. The slow rise recovers from a changed clock or a restarted schedule.
    this.#originMs = origin < this.#originMs ? origin : this.#originMs + (origin - this.#originMs) / 1000;
  }

  rest(frames: number): void {
    this.step += frames * this.#phases;
  }

  present(): readonly Leg[] {
    return this.#byPhase[this.step % this.#phases]!;
  }

  isDue({ turn }: Leg): boolean {
    return this.step >= turn.dueStep;
  }

  defers(leg: Leg): boolean {
    const { turn, hearing, jitter } = leg;
    if (!leg.listens) return false;
    const mayWait = this.#mostWaits > 0 && hearing.mix === undefined && leg.taps !== undefined;
    jitter.pace.patienceMs = mayWait ? MOST_WAIT_MS : 0;
    // After a concealed frame there is no waiting: the packet is lost or the phone has stopped sending.
    const isLate = jitter.isPlaying && jitter.depthMs < FRAME_MS && !leg.isConcealed;
    if (!mayWait || turn.waited >= this.#mostWaits || !isLate) {
      turn.waited = 0;
      return false;
    }
    turn.waited++;
    this.#late.push(leg);
    return true;
  }

  add(leg: Leg): void {
    leg.slot = this.#byPhase[leg.turn.phase]!.push(leg) - 1;
    this.#work[leg.turn.phase]! += leg.workMs;
  }

  remove(leg: Leg): void {
    const legs = this.#byPhase[leg.turn.phase]!;
    const last = legs.pop()!;
    this.#work[leg.turn.phase]! -= leg.workMs;
    if (last === leg) return;
    legs[leg.slot] = last;
    last.slot = leg.slot;
  }

  weigh(leg: Leg, codec: CodecName): void {
    this.#work[leg.turn.phase]! -= leg.workMs;
    leg.workMs = workMsOf[codec] ?? USUAL_WORK_MS;
    this.#work[leg.turn.phase]! += leg.workMs;
  }

  join(leg: Leg, mix: MixTurn): void {
    if (mix.phase < 0) mix.phase = leg.turn.phase;
    else if (leg.turn.phase !== mix.phase) {
      this.#move(leg, mix.phase, this.#firstIn(mix.phase, leg.turn.lastStep + this.#phases));
    }
  }

  note(leg: Leg, nowMs: number): void {
    const mix = leg.hearing.mix ?? soloOf(leg);
    if (this.#phases === 1 || mix === undefined || nowMs < mix.lookMs) return;
    mix.lookMs = Number.POSITIVE_INFINITY;
    this.#noted.push(mix);
  }

  end(nowMs: number): void {
    const late = this.#late;
    for (let leg = late.pop(); leg !== undefined; leg = late.pop()) {
      this.#move(leg, (leg.turn.phase + 1) % this.#phases, this.step + 1);
    }
    const noted = this.#noted;
    for (let mix = noted.pop(); mix !== undefined; mix = noted.pop()) this.#look(mix, nowMs);
  }

  #firstIn(phase: number, from: number): number {
    const ahead = (phase - from) % this.#phases;
    return from + (ahead < 0 ? ahead + this.#phases : ahead);
  }

  #move(leg: Leg, phase: number, dueStep: number): void {
    this.remove(leg);
    leg.turn.phase = phase;
    leg.turn.dueStep = dueStep;
    this.add(leg);
    // Its last frame has been heard already.
    leg.source.active = false;
    leg.jitter.pace.retime();
  }

  #look(mix: MixTurn, nowMs: number): void {
    if (mix.isChanged) {
      mix.isChanged = false;
      mix.moves = 0;
      mix.patientUntilMs = nowMs + PATIENCE_MS;
    }
    const isPatient = nowMs < mix.patientUntilMs;
    const heard: Readiness[] = [];
    let isMissing = false;
    let isAlone = false;
    let isTapped = false;
    let ownMs = 0;
    for (const leg of this.#legsOf(mix)) {
      ownMs += leg.workMs;
      if (leg.hearing.mix === undefined) isAlone = true;
      if (leg.taps !== undefined) isTapped = true;
      if (leg.agreed === undefined || !leg.listens) continue;
      const { readyMs, everyMs, edgeMs, stayEdgeMs } = leg.jitter.pace;
      if (Number.isNaN(readyMs)) isMissing = true;
      else heard.push({ readyMs, everyMs, edgeMs, stayEdgeMs });
    }
    if (isPatient && isMissing) {
      mix.lookMs = nowMs + IMPATIENT_LOOK_MS;
      return;
    }
    // A single leg in a mix delays no other leg, but its tap waits for it.
    if (heard.length >= (isTapped ? 1 : 2)) {
      mix.patientUntilMs = 0;
      this.#choose(mix, heard, ownMs, isAlone ? FIRST_GAIN_MS : LATER_GAIN_MS);
    }
    mix.lookMs = nowMs + LOOK_MS * 2 ** Math.max(0, Math.min(MOST_DOUBLINGS, mix.moves - 2));
  }

  /** Moves a mix to the phase in which its members wait least, if that saves enough. */
  #choose(mix: MixTurn, heard: readonly Readiness[], ownMs: number, leastGainMs: number): void {
    const isFirst = !mix.isChosen;
    mix.isChosen = true;
    const grid = { phases: this.#phases, stepMs: this.#stepMs, timeMs: this.#originMs };
    // Load alone must not cause later moves: each move would cause others.
    const gainMs = isFirst ? undefined : choosePhase(heard, mix.phase, { ...grid, workMs: () => 0 }).gainMs;
    if (gainMs !== undefined && gainMs < leastGainMs) return;
    const workMs = (phase: number) => this.#work[phase]! + (phase === mix.phase ? 0 : ownMs);
    const choice = choosePhase(heard, mix.phase, { ...grid, workMs });
    if (choice.phase === mix.phase || (isFirst && choice.gainMs < FIRST_GAIN_MS)) return;
    const earlier = this.#firstIn(choice.phase, this.step);
    mix.dueStep = choice.mayComeEarlier ? earlier : earlier + this.#phases;
    mix.phase = choice.phase;
    mix.moves++;
    for (const leg of this.#legsOf(mix)) {
      const isInStep = leg.turn.lastStep === this.step;
      const next = this.#firstIn(mix.phase, leg.turn.lastStep + this.#phases);
      this.#move(leg, mix.phase, isInStep ? mix.dueStep : next);
    }
  }

  #legsOf(mix: MixTurn): Set<Leg> {
    const legs = new Set<Leg>();
    for (const name of mix.legs()) {
      const leg = this.#find(name);
      if (leg !== undefined && (leg.hearing.mix ?? leg.hearing.solo) === mix) legs.add(leg);
    }
    return legs;
  }
}

/** The turn of a leg that is tapped and in no mix. */
function soloOf({ name, hearing, taps, turn }: Leg): MixTurn | undefined {
  if (taps === undefined) return undefined;
  if (hearing.solo === undefined) {
    hearing.solo = createMixTurn(() => [name]);
    noteChange(hearing.solo);
  }
  hearing.solo.phase = turn.phase;
  return hearing.solo;
}
