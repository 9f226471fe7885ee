/** Live legs by the leg for which they were dialled, in the order of dialling. */
export interface DialledLegs {
  add(leg: string, parent: string | undefined): void;
  remove(leg: string): void;
  of(parent: string): readonly string[];
}

export function createDialledLegs(): DialledLegs {
  const parents = new Map<string, string>();
  const dialled = new Map<string, Set<string>>();
  return {
    add(leg, parent) {
      if (parent === undefined) return;
      parents.set(leg, parent);
      const legs = dialled.get(parent);
      if (legs === undefined) dialled.set(parent, new Set([leg]));
      else legs.add(leg);
    },
    remove(leg) {
      const parent = parents.get(leg);
      if (parent === undefined) return;
      parents.delete(leg);
      const legs = dialled.get(parent);
      legs?.delete(leg);
      if (legs?.size === 0) dialled.delete(parent);
    },
    of: (parent) => [...(dialled.get(parent) ?? [])],
  };
}
