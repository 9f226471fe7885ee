export interface MessageParts {
  /** SMPP 3.4 §5.2.19: 0 is the SMSC's default alphabet, treated as GSM 03.38 with an octet for each septet; 8 is UCS-2. */
  readonly dataCoding: 0 | 8;
  /** User data of each part; parts of a long message begin with the header of GSM 03.40 §9.2.3.24.1. */
  readonly parts: readonly Buffer[];
}

const gsm =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1BÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const shift = 0x1b;
const septets = new Map<string, readonly number[]>([...gsm].map((character, at) => [character, [at]]));
septets.delete('\x1B');
for (const [character, code] of [
  ['\f', 0x0a],
  ['^', 0x14],
  ['{', 0x28],
  ['}', 0x29],
  ['\\', 0x2f],
  ['[', 0x3c],
  ['~', 0x3d],
  [']', 0x3e],
  ['|', 0x40],
  ['€', 0x65],
] as const) {
  septets.set(character, [shift, code]);
}

/** GSM 03.40: 140 octets hold 160 septets or 70 UCS-2 characters; six octets are the header of a part. */
const room = { gsm: { single: 160, part: 153 }, ucs2: { single: 140, part: 134 } };

/** Splits a text into short messages, never inside a character. `reference` distinguishes the parts of different messages. */
export function messageParts(text: string, reference: number): MessageParts {
  const characters = [...text];
  const isGsm = characters.every((character) => septets.has(character));
  const units = characters.map((character) => (isGsm ? septets.get(character)! : ucs2(character)));
  const { single, part } = isGsm ? room.gsm : room.ucs2;
  const dataCoding = isGsm ? 0 : 8;
  if (units.reduce((sum, unit) => sum + unit.length, 0) <= single) {
    return { dataCoding, parts: [Buffer.from(units.flat())] };
  }
  const bodies: number[][] = [[]];
  for (const unit of units) {
    if (bodies.at(-1)!.length + unit.length > part) bodies.push([]);
    bodies.at(-1)!.push(...unit);
  }
  const parts = bodies.map((body, at) =>
    Buffer.from([5, 0, 3, reference & 0xff, bodies.length, at + 1, ...body]),
  );
  return { dataCoding, parts };
}

/** Keeps both halves of a character beyond the first plane together. */
function ucs2(character: string): readonly number[] {
  const octets: number[] = [];
  for (let at = 0; at < character.length; at++) {
    const code = character.charCodeAt(at);
    octets.push(code >> 8, code & 0xff);
  }
  return octets;
}
