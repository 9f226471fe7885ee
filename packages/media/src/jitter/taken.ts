/** Result of a `take`. */
export const taken = {
  /** Real audio throughout. */
  played: 0,
  /** Concealed in part or completely. */
  concealed: 1,
  /** Zeros: no audio has arrived yet, or concealment has faded out. */
  empty: 2,
} as const;
