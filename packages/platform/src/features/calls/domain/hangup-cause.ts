/** Why a leg ended and who ended it: codes and sources of conventions.md §13. */
export interface CallEnd {
  readonly code: number;
  readonly name: string;
  readonly source: HangupSource;
}

export type HangupSource =
  | 'Caller'
  | 'Call recipient'
  | 'Service'
  | 'Carrier'
  | 'API Request'
  | 'Answer XML'
  | 'Error'
  | 'Unknown';

const names = {
  0: 'Unknown',
  1000: 'Canceled',
  2000: 'Invalid Destination Address',
  2010: 'Destination Out Of Service',
  2020: 'Endpoint Not Registered',
  3000: 'No Answer',
  3010: 'Busy Line',
  3020: 'Rejected',
  3040: 'Forbidden',
  3050: 'Unallocated number',
  3070: 'Request timeout',
  3080: 'Internal server error from carrier',
  3090: 'Network congestion from carrier',
  3100: 'Busy everywhere',
  3110: 'Declined',
  3120: 'User does not exist anywhere',
  4000: 'Normal Hangup',
  4020: 'Multiparty Call Ended',
  4030: 'Kicked Out Of Multiparty Call',
  5000: 'Network Error',
  5010: 'Internal Error',
  5020: 'Routing Error',
  6000: 'Scheduled Hangup',
  6010: 'Ring Timeout Reached',
  6020: 'Media Timeout',
  9000: 'Lost Race',
  9110: 'Confirm Key Challenge Failed',
} as const;

export type HangupCode = keyof typeof names;

/** The end with this code; the name is the one that the code always carries. */
export function callEnds(code: HangupCode, source: HangupSource): CallEnd {
  return { code, name: names[code], source };
}
