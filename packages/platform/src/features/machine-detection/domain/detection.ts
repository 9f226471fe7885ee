import type { Instant, MachineDetection, MediaNotice, TimerFired } from '@jackfield/ports';
import type { KernelEffect } from '../../../kernel/kernel-effects.ts';

/**
 * The detection of one answered leg, named by it:
 *
 *   listening ──a person──────────────→ over
 *       └──────a machine──→ awaiting-beep ──beep, a minute, leg over──→ over
 *
 * A machine that is to be hung up is not listened to any longer.
 */
export interface Detection {
  readonly leg: LegOfDetection;
  readonly order: MachineDetection;
  readonly phase: 'opened' | 'listening' | 'awaiting-beep' | 'over';
  readonly answeredAt: Instant;
  /** The first word; null before it. */
  readonly since: Instant | null;
  readonly isTalking: boolean;
}

export interface LegOfDetection {
  readonly leg: string;
  readonly account: string;
  readonly mainAccount: string;
  /** Parameters of requests about the call at its answer. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The reason of the decision: the field `MachineReason` of the callback. */
export type DetectionReason = 'greeting-over' | 'long-greeting' | 'beep' | 'silence' | 'time-over';

export interface Verdict {
  readonly isMachine: boolean;
  readonly reason: DetectionReason;
  /** From the answer to the decision. */
  readonly afterMs: number;
}

/** A change of what the leg sends, as the media engine reports it. */
export type AnswerSound = Extract<MediaNotice, { readonly type: 'answer-sound' }>['sound'];

export type DetectionInput =
  | { readonly type: 'begin' }
  | { readonly type: 'sound'; readonly sound: AnswerSound }
  | { readonly type: 'leg-over' }
  | TimerFired;

export type DetectionEvent =
  | { readonly type: 'decided'; readonly verdict: Verdict }
  | { readonly type: 'beeped'; readonly afterMs: number };

export type DetectionEffect =
  | { readonly do: 'watch'; readonly watched: boolean }
  /** For the owner of the leg. */
  | { readonly do: 'notify'; readonly event: DetectionEvent }
  | { readonly do: 'hang-up' }
  | KernelEffect<DetectionEvent>;

export function newDetection(leg: LegOfDetection, order: MachineDetection, answeredAt: Instant): Detection {
  return { leg, order, phase: 'opened', answeredAt, since: null, isTalking: false };
}
