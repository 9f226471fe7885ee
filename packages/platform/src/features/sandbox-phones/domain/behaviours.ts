/** The conduct of a phone of the sandbox from the answer on. */
export interface Conduct {
  readonly sound:
    | { readonly kind: 'echo' }
    | { readonly kind: 'talk' }
    | { readonly kind: 'voicemail' }
    | { readonly kind: 'silence' }
    | { readonly kind: 'tone'; readonly frequencyHz: number };
  /** Keys and waits (`w` 0.5 s, `W` 1 s) that begin `afterMs` after the answer. */
  readonly press?: { readonly digits: string; readonly afterMs: number };
  /** The sound begins after the keys instead of at the answer. */
  readonly soundAfterKeys?: true;
  readonly hangUpAfterMs?: number;
}

/** The behaviour of a phone of the sandbox that is called. */
export interface Behaviour extends Conduct {
  readonly says: string;
  readonly pickUp:
    | { readonly kind: 'after'; readonly ms: number }
    | { readonly kind: 'never' }
    | { readonly kind: 'reject'; readonly status: number };
}

const atOnce = { kind: 'after', ms: 0 } as const;
const echo = { kind: 'echo' } as const;
const talk = { kind: 'talk' } as const;

/** The numbers of the sandbox (docs/guides/sandbox.md). 555-01xx is reserved for fiction by the numbering plan. */
export const behaviours: ReadonlyMap<string, Behaviour> = new Map<string, Behaviour>([
  ['+12025550100', { says: 'answers at once and echoes', pickUp: atOnce, sound: echo }],
  [
    '+12025550101',
    { says: 'answers at once and talks, sentence after sentence', pickUp: atOnce, sound: talk },
  ],
  ['+12025550102', { says: 'busy (486)', pickUp: { kind: 'reject', status: 486 }, sound: echo }],
  ['+12025550103', { says: 'rings and never answers', pickUp: { kind: 'never' }, sound: echo }],
  ['+12025550104', { says: 'rejects (603)', pickUp: { kind: 'reject', status: 603 }, sound: echo }],
  [
    '+12025550105',
    { says: 'answers after 5 s, then echoes', pickUp: { kind: 'after', ms: 5000 }, sound: echo },
  ],
  [
    '+12025550106',
    {
      says: 'answers, presses 1 after 2 s, then talks',
      pickUp: atOnce,
      sound: talk,
      press: { digits: '1', afterMs: 2000 },
      soundAfterKeys: true,
    },
  ],
  [
    '+12025550107',
    { says: 'voicemail: greeting, beep, records', pickUp: atOnce, sound: { kind: 'voicemail' } },
  ],
  [
    '+12025550108',
    { says: 'answers and hangs up after 10 s', pickUp: atOnce, sound: echo, hangUpAfterMs: 10_000 },
  ],
  [
    '+12025550109',
    {
      says: 'answers and plays a 1 kHz tone',
      pickUp: atOnce,
      sound: { kind: 'tone', frequencyHz: 1000 },
    },
  ],
]);
