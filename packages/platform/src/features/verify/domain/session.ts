import type { Instant } from '@jackfield/ports';
import type { Greeting } from './greeting.ts';

export type SessionStatus = 'in-progress' | 'verified' | 'expired';
export type Channel = 'sms' | 'voice';
/** Channel statuses of docs/interface/verify.md#attempts; `queued` is told before anything has left us. */
export type SmsStatus = 'queued' | 'sent' | 'delivered' | 'undelivered' | 'failed';
export type VoiceStatus = 'in-progress' | 'completed' | 'no-answer';
export type ChannelStatus = SmsStatus | VoiceStatus;

/** One delivery of the code. */
export interface Attempt {
  readonly uuid: string;
  /** From 1 on within the session. */
  readonly sequence: number;
  readonly channel: Channel;
  readonly status: ChannelStatus;
  readonly errorCode: string | null;
  readonly at: Instant;
  readonly locale: string;
  readonly brandName: string | null;
  readonly appHash: string | null;
  readonly dtmf: boolean;
  readonly fraudCheck: string | null;
  readonly sender: string | null;
  /** What the gateway calls the message; null before it took it. */
  readonly message: string | null;
  /** The code is being spoken; of a live call, and in no record. */
  readonly isSpeaking: boolean;
  /** How a live call was answered, while that matters; in no record either. */
  readonly greeting?: Greeting;
}

export interface VerifySession {
  readonly uuid: string;
  readonly account: string;
  readonly mainAccount: string;
  readonly appUuid: string;
  readonly alias: string;
  /** E.164 with its +. */
  readonly recipient: string;
  readonly country: string | null;
  readonly requestorIp: string | null;
  readonly status: SessionStatus;
  readonly callback: { readonly url: string; readonly method: 'GET' | 'POST' } | null;
  readonly template: string;
  readonly codeLength: number;
  /** Keyed hash: what a check is compared with. */
  readonly codeHash: string;
  /** Encrypted, to be said again; null when the session is over. */
  readonly sealedCode: string | null;
  readonly maxAttempts: number;
  readonly maxChecks: number;
  readonly voiceFallback: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly expiresAt: Instant;
  /** When nothing more was to be heard of it; null while it is live. */
  readonly closedAt: Instant | null;
  readonly attempts: readonly Attempt[];
}

/** What is asked for; `blockedBy` is the ChannelErrorCode of one that must not go out. */
export interface WantedAttempt
  extends Pick<
    Attempt,
    'uuid' | 'channel' | 'locale' | 'brandName' | 'appHash' | 'dtmf' | 'fraudCheck' | 'sender'
  > {
  readonly blockedBy: string | null;
}

export type AttemptReply = 'begun' | 'over' | 'exhausted';

export type SessionInput =
  | {
      readonly type: 'attempt-asked';
      readonly attempt: WantedAttempt;
      readonly callback: VerifySession['callback'];
    }
  | { readonly type: 'sms-accepted'; readonly attempt: string; readonly message: string }
  | { readonly type: 'sms-refused'; readonly attempt: string; readonly errorCode: string }
  | {
      readonly type: 'receipt';
      readonly attempt: string;
      readonly status: 'delivered' | 'undelivered' | 'failed';
      readonly errorCode: string | null;
    }
  | { readonly type: 'call-answered'; readonly attempt: string }
  | { readonly type: 'call-voice'; readonly attempt: string; readonly speaking: boolean }
  | { readonly type: 'call-digit'; readonly attempt: string; readonly digit: string }
  | {
      readonly type: 'spoken';
      readonly attempt: string;
      readonly part: 'prompt' | 'code';
      readonly isWhole: boolean;
    }
  | { readonly type: 'call-ended'; readonly attempt: string; readonly errorCode: string }
  | { readonly type: 'code-matched' }
  | { readonly type: 'process-restarted' };

export type SessionEvent = ChannelStatus | 'verified' | 'expired' | 'blocked';

export type SessionEffect =
  | { readonly do: 'send-sms'; readonly attempt: Attempt }
  | { readonly do: 'dial'; readonly attempt: Attempt }
  /** Whether it is told when whoever answered talks. */
  | { readonly do: 'listen'; readonly attempt: Attempt; readonly isOn: boolean }
  | { readonly do: 'speak'; readonly attempt: Attempt; readonly part: 'prompt' | 'code' }
  | { readonly do: 'stop-speaking'; readonly attempt: Attempt; readonly part: 'prompt' | 'code' }
  | { readonly do: 'hang-up'; readonly attempt: Attempt }
  | { readonly do: 'fall-back'; readonly attempt: Attempt }
  /** Receipts may have come before the gateway's name for the message was known. */
  | { readonly do: 'match-receipt'; readonly attempt: Attempt; readonly message: string }
  | { readonly do: 'emit'; readonly event: SessionEvent; readonly attempt: Attempt }
  | { readonly do: 'reply'; readonly reply: AttemptReply | boolean }
  | { readonly do: 'start-timer'; readonly key: TimerKey; readonly at: Instant }
  | { readonly do: 'cancel-timer'; readonly key: TimerKey };

/** The last is of an attempt whose greeting is listened to. */
type TimerKey = 'expiry' | 'close' | `greeting/${string}`;

export function isClosed({ closedAt }: VerifySession): boolean {
  return closedAt !== null;
}

/** Something may still be heard of it. */
export function isOpen({ status }: Attempt): boolean {
  return status === 'queued' || status === 'sent' || status === 'in-progress';
}
