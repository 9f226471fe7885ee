/** Everything that can be made to go wrong. */
export const faultNames = [
  'carrier-busy',
  'carrier-silent',
  'codec-loss',
  'packet-loss',
  'receiver-down',
  'receiver-error',
  'receiver-slow',
  'sms-late',
  'sms-lost',
] as const;

export type FaultName = (typeof faultNames)[number];
