/** How many things each source holds at this moment, and no more than it may. */
export interface SourceCounts {
  /** False when the source of that address holds as many as it may. */
  take(address: string): boolean;
  release(address: string): void;
}

/** What addresses count as one source, by a name: themselves unless told. */
export type SourceOf = (remoteAddress: string) => string;

/** Counts from zero; a source that holds nothing is forgotten, so the table is as large as what is open. */
export function createSourceCounts(most: number, sourceOf: SourceOf = itself): SourceCounts {
  const counts = new Map<string, number>();
  return {
    take(address) {
      const source = sourceOf(address);
      const count = counts.get(source) ?? 0;
      if (count >= most) return false;
      counts.set(source, count + 1);
      return true;
    },
    release(address) {
      const source = sourceOf(address);
      const count = counts.get(source) ?? 0;
      if (count <= 1) counts.delete(source);
      else counts.set(source, count - 1);
    },
  };
}

function itself(address: string): string {
  return address;
}
