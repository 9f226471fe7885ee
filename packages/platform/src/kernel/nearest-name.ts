/** Longer words are no typing errors, and comparing costs the product of the lengths. */
const longestWord = 40;

/**
 * The member of `words` that was probably meant: equal except for case, or at most `most` letters away. By default two, and half of
 * a short word.
 */
export function nearestName(
  word: string,
  words: Iterable<string>,
  most: number = Math.min(2, Math.floor(word.length / 2)),
): string | undefined {
  if (word.length > longestWord) return undefined;
  const lower = word.toLowerCase();
  let found: string | undefined;
  let least = most + 1;
  for (const each of words) {
    const distance = lower === each.toLowerCase() ? 0 : distanceOf(lower, each.toLowerCase());
    if (distance < least) [found, least] = [each, distance];
  }
  return found;
}

/** Letters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
function distanceOf(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const differs = from[row - 1] === to[column - 1] ? 0 : 1;
      let cost = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + differs,
      );
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, (before[column - 2] as number) + 1);
      }
      current.push(cost);
    }
    [before, last] = [last, current];
  }
  return last[to.length] as number;
}
