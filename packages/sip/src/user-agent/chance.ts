/** A number in [0, 1) from an unpredictable token (FNV-1a), for random intervals that need no secrecy. */
export function chanceOf(token: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < token.length; index += 1) {
    hash = Math.imul(hash ^ token.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) / 0x1_0000_0000;
}
