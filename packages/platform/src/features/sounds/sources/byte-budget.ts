/** Bytes that several works may hold together. */
export interface ByteBudget {
  /** A share of the budget, empty at first. */
  open(): ByteShare;
  /** Of all shares. */
  readonly held: number;
}

export interface ByteShare {
  /** False when the budget has fewer bytes left. */
  reserve(bytes: number): boolean;
  /** Returns all of its bytes. */
  free(): void;
}

export function createByteBudget(maxBytes: number): ByteBudget {
  let held = 0;
  return {
    get held() {
      return held;
    },
    open() {
      let mine = 0;
      return {
        reserve(bytes) {
          if (held + bytes > maxBytes) return false;
          held += bytes;
          mine += bytes;
          return true;
        },
        free() {
          held -= mine;
          mine = 0;
        },
      };
    },
  };
}
