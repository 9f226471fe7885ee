import { spokenText as toned } from '@jackfield/testkit/phones';

/** The sound of a text, mono at 8 kHz, as phones of a world speak and hear it: 80 ms per byte of UTF-8. */
export function spokenText(text: string): Int16Array {
  return toned(text);
}
