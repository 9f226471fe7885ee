import type { sandboxCallBehaviours } from '@jackfield/contract';
import type { Instant, LegEnd } from '@jackfield/ports';

/** A call that a phone of the sandbox makes. */
export interface SandboxCall {
  readonly uuid: string;
  /** The platform's side of the same call. */
  readonly callUuid: string;
  /** The account that ordered it. */
  account: string;
  mainAccount: string;
  readonly from: string;
  readonly to: string;
  readonly behaviour: (typeof sandboxCallBehaviours)[number];
  readonly startedAt: Instant;
  state: 'calling' | 'ringing' | 'answered' | 'ended';
  answeredAt: Instant | null;
  endedAt: Instant | null;
  end: LegEnd | null;
  recording: 'none' | 'running' | 'complete' | 'removed' | 'failed';
  /** Of a complete recording. */
  file: { readonly durationMs: number; readonly bytes: number } | null;
}

export interface SandboxCallOrder {
  readonly to: string;
  readonly from: string;
  readonly behaviour: SandboxCall['behaviour'];
  readonly digits: string | undefined;
  readonly hangUpAfterSeconds: number;
  readonly record: boolean;
}
