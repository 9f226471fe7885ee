/** Area codes of the blocks of numbers, one per attack, so that no attack uses up the limits of another. */
const areas = {
  oneSession: '212555',
  acrossSessions: ['213555', '214555', '215555', '216555', '312555', '313555', '314555', '315555', '404555'],
  parallel: '405555',
  replay: '406555',
  enumeration: '407555',
  pumping: '408555',
} as const;

export type AttackName = keyof typeof areas;

/** The number of an attack with this index, from 0 on; no two attacks share a block of 10,000. */
export function numberOf(attack: AttackName, index: number): string {
  const blocks = areas[attack];
  const block = typeof blocks === 'string' ? blocks : blocks[index % blocks.length]!;
  const within = typeof blocks === 'string' ? index : Math.floor(index / blocks.length);
  // Subscriber numbers of the numbering plan begin with 2 to 9.
  return `+1${block}${String(2000 + (within % 7000)).padStart(4, '0')}`;
}
