import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };

/**
 * Any Unicode character, for `fc.string({ unit: anyCharacter })`. It reaches what `unit: 'binary'` reaches, whose first use in a process
 * costs a second: it lists every code point for shrinking.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count));
