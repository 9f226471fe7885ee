/** What a `take` delivered. */
export const taken = {
  /** Real audio throughout. */
  played: 0,
  /** Some or all of it was made up to cover a gap. */
  concealed: 1,
  /** Zeros: nothing has come yet, or nothing for so long that concealment has faded out. */
  empty: 2,
} as const;
