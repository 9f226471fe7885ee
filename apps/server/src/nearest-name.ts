/** The candidate with the smallest edit distance to `name`, for "did you mean". */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(name.toUpperCase(), candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Levenshtein: insertions, deletions and substitutions, one row at a time. */
function editDistance(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const substitution = above[column - 1]! + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(above[column]! + 1, current[column - 1]! + 1, substitution));
    }
    above = current;
  }
  return above[right.length]!;
}
