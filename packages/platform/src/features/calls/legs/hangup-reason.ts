import type { CallEnd } from '@jackfield/ports';

/** Characters; a reason may quote what a customer's server sent. */
const longestReason = 500;

/** The reason for records and reports: on one line, and bounded. */
export function reasonOf({ reason }: CallEnd): string | null {
  if (reason === undefined) return null;
  return reason
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, longestReason)
    .replace(/\p{Cs}/gu, '');
}
