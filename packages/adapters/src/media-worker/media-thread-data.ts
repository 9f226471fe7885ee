import type { StreamLimits } from './streams/stream-messages.ts';

/** The start values of the thread. */
export interface MediaThreadData {
  readonly host: string;
  readonly ports: { readonly first: number; readonly last: number };
  readonly sockets: 'best' | 'dgram' | 'native';
  readonly rtpSources?: readonly string[];
  readonly mediaSilentMs?: number;
  readonly phases?: number;
  readonly streamLimits?: Partial<StreamLimits>;
  readonly streamTrust?: string;
}
