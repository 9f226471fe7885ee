const { TEST_ROOMS } = process.env;

let divisor = 1;

/** Walks of this process play so many times fewer rooms: for tests that run again in a dearer world. */
export function shortenWalks(times: number): void {
  divisor = times;
}

/** How many random rooms a walk plays: `usual` ones, or as many as `TEST_ROOMS` says. The seed of a run chooses which. */
export function roomsOfWalk(usual: number): number {
  return TEST_ROOMS === undefined ? Math.ceil(usual / divisor) : Number(TEST_ROOMS);
}
