/** Reports legs that are over, to the parts of the feature and to other features. */
export interface EndedLegs {
  /** Listeners are called in the order of their registration. */
  readonly whenOver: (listener: (leg: string) => void) => void;
  readonly over: (leg: string) => void;
}

export function createEndedLegs(): EndedLegs {
  const listeners: ((leg: string) => void)[] = [];
  return {
    whenOver: (listener) => void listeners.push(listener),
    over(leg) {
      for (const listener of listeners) listener(leg);
    },
  };
}
