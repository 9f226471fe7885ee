import type { StreamLimits } from './streams/stream-messages.ts';
import type { ThreadPriority } from './thread-priority.ts';
import type { StartMark } from './thread-start.ts';

/** The start values of the thread. */
export interface MediaThreadData {
  readonly mark: StartMark;
  readonly host: string;
  readonly ports: { readonly first: number; readonly last: number };
  readonly sockets: 'best' | 'dgram' | 'native';
  readonly priority: 'best' | 'real-time' | 'raised' | 'normal';
  readonly rtpSources?: readonly string[];
  readonly webrtcPort?: number;
  readonly mediaSilentMs?: number;
  readonly phases?: number;
  readonly streamLimits?: Partial<StreamLimits>;
  readonly streamTrust?: string;
}

/** The number of the thread, and the priority that it obtained; sent first before the thread is ready. A thread without ticks rests. */
export interface PriorityNotice {
  readonly type: 'priority';
  readonly thread: number;
  readonly obtained: ThreadPriority | 'resting';
}

/** Sent once, before the thread is ready, where WebRTC is configured; `problem` is the reason why it is off. */
export interface WebrtcNotice {
  readonly type: 'webrtc';
  readonly problem?: string;
}
