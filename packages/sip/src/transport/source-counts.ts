/** How many things each source holds at this moment, and no more than it may. */
export interface SourceCounts {
  /** False when the source holds as many as it may. */
  take(source: string): boolean;
  release(source: string): void;
}

/** Counts from zero; a source that holds nothing is forgotten, so the table is as large as what is open. */
export function createSourceCounts(most: number): SourceCounts {
  const counts = new Map<string, number>();
  return {
    take(source) {
      const count = counts.get(source) ?? 0;
      if (count >= most) return false;
      counts.set(source, count + 1);
      return true;
    },
    release(source) {
      const count = counts.get(source) ?? 0;
      if (count <= 1) counts.delete(source);
      else counts.set(source, count - 1);
    },
  };
}
