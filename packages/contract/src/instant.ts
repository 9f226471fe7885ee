import { Type } from 'typebox';
import { text } from './primitives.ts';

/** An instant as list filters accept it; a text that is not a date is refused when it is read. */
export const instant = (description: string) =>
  Type.Optional(
    text({
      maxLength: 40,
      allowed: 'a time in UTC of the form YYYY-MM-DD HH:MM[:ss[.uuuuuu]]',
      description: `${description}: YYYY-MM-DD HH:MM[:ss[.uuuuuu]] in UTC.`,
    }),
  );
