import type { Instant } from '@jackfield/ports';
import type { Greeting } from './greeting.ts';

export type SessionStatus = 'in-progress' | 'verified' | 'expired';
export type Channel = 'sms' | 'voice';
/** Channel statuses of docs/interface/verify.md#attempts; `queued` is reported before the message is sent. */
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
  /** The gateway's name of the message; null before it accepted it. */
  readonly message: string | null;
  /** The code is being spoken; not recorded. */
  readonly isSpeaking: boolean;
  /** How a live call was answered; not recorded. */
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
  /** Keyed hash that a check is compared with. */
  readonly codeHash: string;
  /** Encrypted, for further attempts; null when the session is over. */
  readonly sealedCode: string | null;
  readonly maxAttempts: number;
  readonly maxChecks: number;
  readonly voiceFallback: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly expiresAt: Instant;
  /** After it no receipt is accepted; null while it is live. */
  readonly closedAt: Instant | null;
  readonly attempts: readonly Attempt[];
}

/** A requested attempt; `blockedBy` is the ChannelErrorCode of a blocked attempt. */
export interface AttemptSpec
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
      readonly attempt: AttemptSpec;
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
  /** Starts or stops the reports of the callee's voice. */
  | { readonly do: 'listen'; readonly attempt: Attempt; readonly isOn: boolean }
  | { readonly do: 'speak'; readonly attempt: Attempt; readonly part: 'prompt' | 'code' }
  | { readonly do: 'stop-speaking'; readonly attempt: Attempt; readonly part: 'prompt' | 'code' }
  | { readonly do: 'hang-up'; readonly attempt: Attempt }
  | { readonly do: 'fall-back'; readonly attempt: Attempt }
  /** Receipts may have arrived before the gateway's name of the message. */
  | { readonly do: 'match-receipt'; readonly attempt: Attempt; readonly message: string }
  | { readonly do: 'emit'; readonly event: SessionEvent; readonly attempt: Attempt }
  | { readonly do: 'reply'; readonly reply: AttemptReply | boolean }
  | { readonly do: 'start-timer'; readonly key: TimerKey; readonly at: Instant }
  | { readonly do: 'cancel-timer'; readonly key: TimerKey };

/** `greeting/…` is the decision about the greeting of an attempt. */
type TimerKey = 'expiry' | 'close' | `greeting/${string}`;

export function isClosed({ closedAt }: VerifySession): boolean {
  return closedAt !== null;
}

/** Its status may still change. */
export function isOpen({ status }: Attempt): boolean {
  return status === 'queued' || status === 'sent' || status === 'in-progress';
}
