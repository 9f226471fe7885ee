import type { PlayOrder } from '../domain/play-order.ts';

/** Plays that are parts of one: an event about one part is not repeated for the others. */
export interface JointPlays {
  begin(order: PlayOrder): void;
  /** Forgets the whole after its last part. */
  end(order: PlayOrder): void;
  /** True for the first part that reports `what`, and always for a play without other parts. */
  claim(order: PlayOrder, what: string): boolean;
}

export function createJointPlays(): JointPlays {
  const wholes = new Map<string, { parts: number; readonly reported: Set<string> }>();
  return {
    begin({ partOf }) {
      if (partOf === undefined) return;
      const whole = wholes.get(partOf.play);
      if (whole === undefined) wholes.set(partOf.play, { parts: 1, reported: new Set() });
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
      const isNew = !whole.reported.has(what);
      whole.reported.add(what);
      return isNew;
    },
  };
}
