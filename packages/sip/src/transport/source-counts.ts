/** Counts what each source holds, up to a limit. */
export interface SourceCounts {
  /** False when the source of that address has reached its limit. */
  take(address: string): boolean;
  release(address: string): void;
}

/** The name of the source of an address; by default the address itself. */
export type SourceOf = (remoteAddress: string) => string;

/** Counts from zero; a source at zero is removed, so the table never exceeds the open connections. */
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
