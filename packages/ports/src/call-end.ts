/** Cause and source of a leg's end: codes and sources of docs/interface/calls.md#hangup-causes. */
export interface CallEnd {
  readonly code: number;
  readonly name: string;
  readonly source: HangupSource;
  /** A sentence for the customer: what was wrong, and what is allowed. */
  readonly reason?: string;
}

/** Who or what ended the leg, as `hangup_source` shows it. */
export type HangupSource =
  | 'Caller'
  | 'Call recipient'
  | 'Service'
  | 'Carrier'
  | 'API Request'
  | 'Answer XML'
  | 'Error'
  | 'Unknown';

/** Each code with its name (docs/interface/calls.md#hangup-causes). */
export const hangupNames = {
  0: 'Unknown',
  1000: 'Canceled',
  1010: 'Canceled (Out Of Credits)',
  1020: 'Canceled (Simultaneous dial limit reached)',
  2000: 'Invalid Destination Address',
  2010: 'Destination Out Of Service',
  2020: 'Endpoint Not Registered',
  2030: 'Destination Country Barred',
  2040: 'Destination Number Barred',
  2050: 'Destination Prefix Barred',
  2060: 'Loop Detected',
  2070: 'Violates Media Anchoring',
  3000: 'No Answer',
  3010: 'Busy Line',
  3020: 'Rejected',
  3030: 'Unknown Caller ID',
  3040: 'Forbidden',
  3050: 'Unallocated number',
  3070: 'Request timeout',
  3080: 'Internal server error from carrier',
  3090: 'Network congestion from carrier',
  3100: 'Busy everywhere',
  3110: 'Declined',
  3120: 'User does not exist anywhere',
  3130: 'Spam block',
  3140: 'DNO Caller ID',
  4000: 'Normal Hangup',
  4010: 'End Of XML Instructions',
  4020: 'Multiparty Call Ended',
  4030: 'Kicked Out Of Multiparty Call',
  5000: 'Network Error',
  5010: 'Internal Error',
  5020: 'Routing Error',
  5030: 'Concurrency Limit Breached',
  6000: 'Scheduled Hangup',
  6010: 'Ring Timeout Reached',
  6020: 'Media Timeout',
  7011: 'Error Reaching Answer URL',
  7012: 'Error Reaching Action URL',
  7013: 'Error Reaching Transfer URL',
  7014: 'Error Reaching Redirect URL',
  7022: 'Invalid Action URL',
  7023: 'Invalid Transfer URL',
  7024: 'Invalid Redirect URL',
  7032: 'Invalid Method For Action URL',
  7033: 'Invalid Method For Transfer URL',
  7034: 'Invalid Method For Redirect URL',
  8011: 'Invalid Answer XML',
  8012: 'Invalid Action XML',
  8013: 'Invalid Transfer XML',
  8014: 'Invalid Redirect XML',
  9000: 'Lost Race',
  9100: 'Machine Detected',
  9110: 'Confirm Key Challenge Failed',
} as const;

/** A code that has a name. */
export type HangupCode = keyof typeof hangupNames;

/** The end with this code and its name. */
export function callEnds(code: HangupCode, source: HangupSource, reason?: string): CallEnd {
  return { code, name: hangupNames[code], source, ...(reason !== undefined && { reason }) };
}
