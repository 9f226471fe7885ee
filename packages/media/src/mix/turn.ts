/**
 * When a leg's next frame is due. A frame of 20 ms is divided into phases; each tick of the engine is a step. A leg has
 * its turn in every step of its phase.
 */
export interface Turn {
  /** From 0; a step's phase is its number modulo the number of phases. */
  phase: number;
  /** The step of its last frame. */
  lastStep: number;
  /** The leg's turn is not before this step. A move to another phase delays one frame; none is lost. */
  dueStep: number;
  /** Steps by which the present turn was deferred for late audio. */
  waited: number;
  /**
   * RTP clock units of the present frame that the relay has already sent to the leg: the whole frame while it is
   * relayed.
   */
  relayedUnits: number;
}

/** The common turn of a mix: of its members, its plays and their listeners. */
export interface MixTurn {
  /** −1 while the mix is empty. */
  phase: number;
  dueStep: number;
  /** A leg has joined or left, so another phase may suit better. */
  isChanged: boolean;
  /** When to check the phase again. */
  lookMs: number;
  /** Moves to another phase since a leg joined or left. */
  moves: number;
  /** Until when the choice of a phase waits for members without packets. */
  patientUntilMs: number;
  /** Whether the phase has been chosen for its members. */
  isChosen: boolean;
  /** Names of the legs that have their turn with this mix; a name may occur twice. */
  legs(): Iterable<string>;
}

/** A turn in this phase, due at once. */
export function createTurn(phase: number): Turn {
  return { phase, lastStep: -1_000_000, dueStep: 0, waited: 0, relayedUnits: 0 };
}

/** The turn of an empty mix. */
export function createMixTurn(legs: () => Iterable<string>): MixTurn {
  return {
    phase: -1,
    dueStep: 0,
    isChanged: false,
    lookMs: Number.POSITIVE_INFINITY,
    moves: 0,
    patientUntilMs: 0,
    isChosen: false,
    legs,
  };
}

/** A leg joined or left: check the phase in the next step. */
export function noteChange(turn: MixTurn): void {
  turn.isChanged = true;
  turn.lookMs = 0;
}
