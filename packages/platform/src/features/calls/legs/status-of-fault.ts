import { isUnavailable, type RefusalStatus } from '@jackfield/ports';

/** The final response to a caller for whose call a lookup or a write failed. */
export function statusOfFault(error: unknown): RefusalStatus {
  return isUnavailable(error) ? 'unavailable' : 500;
}
