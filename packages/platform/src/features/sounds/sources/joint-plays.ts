import type { PlayOrder } from '../domain/play-order.ts';

/** Plays that are parts of one: what is told of one of them is not told of the others. */
export interface JointPlays {
  begin(order: PlayOrder): void;
  /** After the last part nothing is remembered. */
  end(order: PlayOrder): void;
  /** Whether it is still to be told; from now on it is told. What belongs to no other always is. */
  claim(order: PlayOrder, what: string): boolean;
}

export function createJointPlays(): JointPlays {
  const wholes = new Map<string, { parts: number; readonly told: Set<string> }>();
  return {
    begin({ partOf }) {
      if (partOf === undefined) return;
      const whole = wholes.get(partOf.play);
      if (whole === undefined) wholes.set(partOf.play, { parts: 1, told: new Set() });
      else whole.parts++;
    },
    end({ partOf }) {
      if (partOf === undefined) return;
      const whole = wholes.get(partOf.play);
      if (whole !== undefined && --whole.parts === 0) wholes.delete(partOf.play);
    },
    claim({ partOf }, what) {
      const whole = partOf && wholes.get(partOf.play);
      if (whole === undefined) return true;
      const isNew = !whole.told.has(what);
      whole.told.add(what);
      return isNew;
    },
  };
}
