/**
 * When a leg's next frame is due. The 20 ms of a frame are divided into phases; each tick of the engine is a step, and a
 * leg has its turn in every step of its phase.
 */
export interface Turn {
  /** From 0; a step's phase is its number modulo the number of phases. */
  phase: number;
  /** The step of its last frame. */
  lastStep: number;
  /** Not before this step: where a leg moves to another phase, one frame comes later and none is lost. */
  dueStep: number;
  /** Steps that its present turn was put off for audio that is late. */
  waited: number;
  /** Samples of the present frame that the leg has been sent before: all of them while it is relayed. */
  spared: number;
}

/** The turn of a mix: its members, its plays and who else hears these have theirs together. */
export interface MixTurn {
  /** −1 until somebody is here. */
  phase: number;
  dueStep: number;
  /** Somebody has come or gone: another phase may suit those who are here better. */
  isChanged: boolean;
  /** When to ask again whether the phase suits. */
  lookMs: number;
  /** Until when members are waited for whose packets have not come yet. */
  patientUntilMs: number;
  /** Whether its phase was chosen for its members before. */
  isChosen: boolean;
  /** Names of those who have their turn with this mix, some of them twice. */
  legs(): Iterable<string>;
}

/** A turn in this phase, due at once. */
export function createTurn(phase: number): Turn {
  return { phase, lastStep: -1_000_000, dueStep: 0, waited: 0, spared: 0 };
}

/** The turn of a mix in which nobody is yet. */
export function createMixTurn(legs: () => Iterable<string>): MixTurn {
  return {
    phase: -1,
    dueStep: 0,
    isChanged: false,
    lookMs: Number.POSITIVE_INFINITY,
    patientUntilMs: 0,
    isChosen: false,
    legs,
  };
}

/** Somebody came or went: to be looked at in the next step. */
export function noteChange(turn: MixTurn): void {
  turn.isChanged = true;
  turn.lookMs = 0;
}
