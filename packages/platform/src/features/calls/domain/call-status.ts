import type { CallEnd } from '@jackfield/ports';

/** The words of docs/interface/calls.md#request-parameters for the state of a call. */
export type CallStatus =
  | 'ringing'
  | 'in-progress'
  | 'completed'
  | 'busy'
  | 'failed'
  | 'timeout'
  | 'no-answer'
  | 'cancel';

/** The status of an ended call: an answered call is complete, whatever the cause of its end. */
export function statusOfEndedCall({ code }: Pick<CallEnd, 'code'>, wasAnswered: boolean): CallStatus {
  if (wasAnswered) return 'completed';
  switch (code) {
    case 3010:
    case 3020:
    case 3100:
    case 3110:
      return 'busy';
    case 2010:
    case 3000:
      return 'no-answer';
    case 3070:
    case 6010:
      return 'timeout';
    case 1000:
    case 1010:
    case 1020:
    case 4000:
    case 4010:
    case 4020:
    case 4030:
    case 9000:
      return 'cancel';
    default:
      return 'failed';
  }
}
