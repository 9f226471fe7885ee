import type { CodecName } from '../codec/audio-codec.ts';
import { createMixTurn, type MixTurn, noteChange } from '../mix/turn.ts';
import { choosePhase, type Readiness } from './choose-phase.ts';
import type { Leg } from './leg.ts';

/** Members that are not heard from are waited for so long before a phase is chosen without them. */
const PATIENCE_MS = 2000;
/**
 * How soon to look again meanwhile, and how often later: a choice from few packets does not know yet how late some of them come,
 * and whoever has come to the edge of his turn keeps everybody waiting until the next look.
 */
const IMPATIENT_LOOK_MS = 100;
const LOOK_MS = 2000;
/** Milliseconds of waiting that a move must save: every listener's next packet comes late or early by some. */
const FIRST_GAIN_MS = 1;
const LATER_GAIN_MS = 2.5;
/**
 * Who is in no mix keeps nobody waiting: his turn is put off for so many milliseconds when his audio is late, so it can be chosen just
 * behind where nearly all of it has come. That is what brings audio to its stream within 5 ms.
 */
const MOST_WAIT_MS = 5;
const FRAME_MS = 20;

/**
 * What a turn takes: receiving a packet, its part of the mix, sending one. Measured by benchmarks/ (mix) on a core of 2026; only the
 * proportions count, and that a full step is found full.
 */
const USUAL_WORK_MS = 0.012;
const workMsOf: Partial<Record<CodecName, number>> = { G722: 0.042, opus: 0.22 };

/** Whose turn it is in which step; moves mixes to the phase that suits the arrivals of their members' packets. */
export interface Turns {
  /** The step that runs. */
  readonly step: number;
  /** Begins the next step, after `skipped` whole frames that were left out. */
  begin(nowMs: number, skipped: number): void;
  /** Those whose phase this is; not all of them are due. */
  present(): readonly Leg[];
  isDue(leg: Leg): boolean;
  /** The audio of a leg that is due and in no mix is late: its turn comes one step later, as often as there is patience for. */
  putsOff(leg: Leg): boolean;
  add(leg: Leg): void;
  remove(leg: Leg): void;
  /** The leg speaks this codec from now on. */
  weigh(leg: Leg, codec: CodecName): void;
  /** The leg takes its mix's phase; the next frame of one that has spoken comes later, by less than a frame. */
  join(leg: Leg, mix: MixTurn): void;
  /** To be asked for each leg that had its turn; remembers mixes that are to be looked at. */
  note(leg: Leg, nowMs: number): void;
  /** Ends the step: mixes that were noted move where their members have to wait less. */
  end(nowMs: number): void;
}

/** Divides frames of 20 ms into so many phases; legs are found by name when their mix moves. */
export function createTurns(phases: number, find: (leg: string) => Leg | undefined): Turns {
  const stepMs = FRAME_MS / phases;
  const byPhase: Leg[][] = Array.from({ length: phases }, () => []);
  /** By phase: the work of its legs. */
  const work = new Float64Array(phases);
  const noted: MixTurn[] = [];
  const late: Leg[] = [];
  const mostWaits = Math.floor(MOST_WAIT_MS / stepMs);
  let step = 0;
  /** When step 0 was, if no step had ever come late. */
  let originMs = Number.POSITIVE_INFINITY;

  const firstIn = (phase: number, from: number): number => {
    const ahead = (phase - from) % phases;
    return from + (ahead < 0 ? ahead + phases : ahead);
  };
  const take = (leg: Leg): void => {
    const legs = byPhase[leg.turn.phase]!;
    const last = legs.pop()!;
    work[leg.turn.phase]! -= leg.workMs;
    if (last === leg) return;
    legs[leg.place] = last;
    last.place = leg.place;
  };
  const put = (leg: Leg): void => {
    leg.place = byPhase[leg.turn.phase]!.push(leg) - 1;
    work[leg.turn.phase]! += leg.workMs;
  };
  const move = (leg: Leg, phase: number, dueStep: number): void => {
    take(leg);
    leg.turn.phase = phase;
    leg.turn.dueStep = dueStep;
    put(leg);
    // Its last frame was heard once already.
    leg.source.active = false;
    leg.jitter.pace.retime();
  };

  function look(mix: MixTurn, nowMs: number): void {
    if (mix.isChanged) {
      mix.isChanged = false;
      mix.patientUntilMs = nowMs + PATIENCE_MS;
    }
    const isPatient = nowMs < mix.patientUntilMs;
    const heard: Readiness[] = [];
    let isMissing = false;
    let isAlone = false;
    let isTapped = false;
    let ownMs = 0;
    for (const leg of legsOf(mix)) {
      ownMs += leg.workMs;
      if (leg.ear.mix === undefined) isAlone = true;
      if (leg.taps !== undefined) isTapped = true;
      if (leg.agreed === undefined || !leg.listens) continue;
      const { readyMs, everyMs, edgeMs } = leg.jitter.pace;
      if (Number.isNaN(readyMs)) isMissing = true;
      else heard.push({ readyMs, everyMs, edgeMs });
    }
    mix.lookMs = nowMs + (isPatient && isMissing ? IMPATIENT_LOOK_MS : LOOK_MS);
    // One by himself waits for nobody, but whoever taps him does.
    if (heard.length < (isTapped ? 1 : 2) || (isPatient && isMissing)) return;
    const isFirst = !mix.isChosen;
    mix.isChosen = true;
    mix.patientUntilMs = 0;
    const grid = { phases, stepMs, timeMs: originMs };
    // For the sake of the crowd alone nobody moves later: each room that moves would make others want to.
    const gainMs = isFirst ? undefined : choosePhase(heard, mix.phase, { ...grid, workMs: () => 0 }).gainMs;
    if (gainMs !== undefined && gainMs < (isAlone ? FIRST_GAIN_MS : LATER_GAIN_MS)) return;
    const workMs = (phase: number) => work[phase]! + (phase === mix.phase ? 0 : ownMs);
    const choice = choosePhase(heard, mix.phase, { ...grid, workMs });
    if (choice.phase === mix.phase || (isFirst && choice.gainMs < FIRST_GAIN_MS)) return;
    const earlier = firstIn(choice.phase, step);
    mix.dueStep = choice.mayComeEarlier ? earlier : earlier + phases;
    mix.phase = choice.phase;
    for (const leg of legsOf(mix)) {
      const isInStep = leg.turn.lastStep === step;
      move(leg, mix.phase, isInStep ? mix.dueStep : firstIn(mix.phase, leg.turn.lastStep + phases));
    }
  }

  /** The turn of a leg that is tapped and in no mix. */
  function soloOf({ name, ear, taps, turn }: Leg): MixTurn | undefined {
    if (taps === undefined) return undefined;
    if (ear.solo === undefined) {
      ear.solo = createMixTurn(() => [name]);
      noteChange(ear.solo);
    }
    ear.solo.phase = turn.phase;
    return ear.solo;
  }

  function legsOf(mix: MixTurn): Set<Leg> {
    const legs = new Set<Leg>();
    for (const name of mix.legs()) {
      const leg = find(name);
      if (leg !== undefined && (leg.ear.mix ?? leg.ear.solo) === mix) legs.add(leg);
    }
    return legs;
  }

  return {
    get step() {
      return step;
    },
    begin(nowMs, skipped) {
      step += 1 + skipped * phases;
      const origin = nowMs - step * stepMs;
      // Steps come late, never early; the slow rise forgets a clock that was set or a schedule that began anew.
      originMs = origin < originMs ? origin : originMs + (origin - originMs) / 1000;
    },
    present: () => byPhase[step % phases]!,
    isDue: ({ turn }) => step >= turn.dueStep,
    putsOff(leg) {
      const { turn, ear, jitter } = leg;
      if (!leg.listens) return false;
      const mayWait = mostWaits > 0 && ear.mix === undefined && leg.taps !== undefined;
      jitter.pace.patienceMs = mayWait ? MOST_WAIT_MS : 0;
      // What was made up is not waited for again: that packet is lost, or the phone has stopped sending.
      const isLate = jitter.isPlaying && jitter.depthMs < FRAME_MS && !leg.isMadeUp;
      if (!mayWait || turn.waited >= mostWaits || !isLate) {
        turn.waited = 0;
        return false;
      }
      turn.waited++;
      late.push(leg);
      return true;
    },
    add: put,
    remove: take,
    weigh(leg, codec) {
      work[leg.turn.phase]! -= leg.workMs;
      leg.workMs = workMsOf[codec] ?? USUAL_WORK_MS;
      work[leg.turn.phase]! += leg.workMs;
    },
    join(leg, mix) {
      if (mix.phase < 0) mix.phase = leg.turn.phase;
      else if (leg.turn.phase !== mix.phase) {
        move(leg, mix.phase, firstIn(mix.phase, leg.turn.lastStep + phases));
      }
    },
    note(leg, nowMs) {
      const mix = leg.ear.mix ?? soloOf(leg);
      if (phases === 1 || mix === undefined || nowMs < mix.lookMs) return;
      mix.lookMs = Number.POSITIVE_INFINITY;
      noted.push(mix);
    },
    end(nowMs) {
      for (let leg = late.pop(); leg !== undefined; leg = late.pop()) {
        move(leg, (leg.turn.phase + 1) % phases, step + 1);
      }
      for (let mix = noted.pop(); mix !== undefined; mix = noted.pop()) look(mix, nowMs);
    },
  };
}
