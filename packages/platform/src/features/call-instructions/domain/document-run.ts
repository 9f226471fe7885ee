import type { CallEnd, Instant, RecognitionNotice, SpeechRequestOptions, TimerFired } from '@jackfield/ports';
import type { KernelEffect } from '../../../kernel/kernel-effects.ts';
import type { OwnedLegNotice } from '../../calls/index.ts';
import type { RecordingOver } from '../../recordings/index.ts';
import type { PlayItem } from '../../sounds/index.ts';
import type { StopReason } from '../../streams/index.ts';
import type { DialEffect, DialState } from './dial/dial.ts';
import type { DocumentFault, FetchReason } from './document-end.ts';
import type { ElementEffect, StartedRecording } from './elements/element.ts';
import type { ElementState } from './elements/elements.ts';
import type { ActionRequest, MultiPartyCall } from './instruction.ts';
import type { PlannedElement } from './planned-element.ts';

/**
 * The documents of one call, one after another, named by the leg that they run on:
 *
 *   waiting ──begin──→ fetching ⇄ running ──nothing left, Hangup, fault──→ leaving ──leg ended──→ closing → over
 *      └───────────────────┴─────────┴──────────── leg ended or taken ─────────────────────────────┘
 *
 * `closing`: the leg is gone, and a recording with an action is still being completed.
 */
export interface DocumentRun {
  readonly call: RunCall;
  /** The last known parameters of requests about the call: some requests come after its end. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly limits: RunLimits;
  readonly phase: 'waiting' | 'fetching' | 'running' | 'leaving' | 'closing' | 'over';
  /** The state of the leg's audio, and the state that was ordered. */
  readonly medium: Medium;
  readonly asked: Medium;
  readonly first: FirstDocument;
  readonly fetch: {
    readonly id: number;
    readonly request: ActionRequest;
    readonly reason: FetchReason;
    readonly fields: Readonly<Record<string, string>>;
    readonly since: Instant;
  } | null;
  readonly fetches: number;
  /** The URL of the running document. */
  readonly url: string;
  readonly rest: readonly QueuedElement[];
  readonly current: CurrentElement | null;
  /** Running plays: the element's key → the name among all plays. */
  readonly plays: Readonly<Record<string, string>>;
  readonly playsBegun: number;
  /** Keys of the timers that the current element has started. */
  readonly timers: readonly string[];
  readonly isVoiceWatched: boolean;
  /** The name of the running recognition. */
  readonly recognition: string | null;
  readonly recognitionsBegun: number;
  readonly recordings: readonly RunningRecording[];
  /** Recordings that begin when a Dial is answered. */
  readonly onDialAnswer: readonly StartedRecording[];
  /** Orders to join a multiparty call so far: identifies the order that is answered. */
  readonly joins: number;
  /** The detected answering machine has beeped. */
  readonly hasBeeped: boolean;
  /** The leg was lent and is being reclaimed. */
  readonly isReclaiming: boolean;
  /** Documents and elements in a row without time. */
  readonly idleSteps: number;
}

export type Medium = 'none' | 'early' | 'answered';

export interface RunCall {
  readonly leg: string;
  /** A UUID: a leg can have several runs, and the plays of each have names of their own. */
  readonly run: string;
  readonly account: string;
  readonly mainAccount: string;
  readonly from: string;
  readonly to: string;
  readonly callerName: string;
  readonly requestUuid: string;
}

export interface FirstDocument {
  readonly request: ActionRequest;
  readonly reason: 'answer' | 'transfer' | 'action';
  /** Requested when the first document of a call cannot be run. */
  readonly fallback: ActionRequest | null;
  /** An outbound call ends this long after it began to ring, unless it was answered. */
  readonly hangupOnRingSeconds: number | null;
  /** It is requested when the detection of answering machines has decided, and carries the result. */
  readonly awaitsDetection?: boolean;
  /** Fields of the request for it. */
  readonly fields?: Readonly<Record<string, string>>;
  /** End of the call when the first document cannot be reached, instead of the cause of the fault. */
  readonly endWithout?: CallEnd;
}

export interface RunLimits {
  /** Documents and elements in a row without time: a document with more counts as endless. */
  readonly idleSteps: number;
  /** An element that runs at least so long takes time, and so does a document that is fetched at least so long. */
  readonly restMs: number;
  /** How long a recording may be completed after the leg has gone. */
  readonly closingMs: number;
}

export const runLimits: RunLimits = { idleSteps: 1_000, restMs: 200, closingMs: 60_000 };

/** `isBeforeAnswer`: an element of a PreAnswer, heard before the call is answered. */
export interface QueuedElement extends PlannedElement {
  readonly isBeforeAnswer: boolean;
}

export interface CurrentElement {
  readonly element: QueuedElement;
  readonly since: Instant;
  /** `medium`: the leg does not yet have the medium that the element needs. */
  readonly state:
    | { readonly kind: 'medium' }
    | { readonly kind: 'dial'; readonly dial: DialState }
    | ElementState;
}

export interface RunningRecording {
  readonly recording: StartedRecording;
  /** The current element waits for it; otherwise its action is requested when it is complete. */
  readonly isAwaited: boolean;
}

export type RunInput =
  /** The run waits for a notice of its leg. */
  | { readonly type: 'opened' }
  /** The leg exists: the first document is fetched. */
  | { readonly type: 'begin' }
  | {
      readonly type: 'document-fetched';
      readonly fetch: number;
      readonly elements: readonly PlannedElement[];
      readonly warnings: readonly string[];
    }
  | {
      readonly type: 'document-failed';
      readonly fetch: number;
      readonly fault: DocumentFault;
      readonly sentence: string;
    }
  | OwnedLegNotice
  /** `sentences`: the parts that could not be played, and why. */
  | { readonly type: 'play-over'; readonly play: string; readonly sentences: readonly string[] }
  | ({ readonly type: 'recording-over' } & RecordingOver)
  | { readonly type: 'joined'; readonly join: number }
  /** An AI agent joins, not the caller: the document continues. */
  | { readonly type: 'agent-joined'; readonly join: number }
  | { readonly type: 'join-refused'; readonly join: number; readonly sentence: string }
  | { readonly type: 'stream-ended'; readonly stream: string }
  | RecognitionNotice
  | { readonly type: 'warning'; readonly sentence: string }
  /** The detection of answering machines on the leg of the run has decided. */
  | { readonly type: 'machine-decided'; readonly isMachine: boolean }
  | { readonly type: 'machine-beeped' }
  /** Replies `TransferReply`. */
  | {
      readonly type: 'transfer';
      readonly request: ActionRequest;
      /** A leg that a Dial has connected and that continues without it. */
      readonly kept: string | null;
    }
  /** The leg that a Dial has connected gets a successor; replies whether it may. */
  | {
      readonly type: 'succeed';
      readonly leg: string;
      readonly replaces: string;
      readonly from: string;
      readonly to: string;
    }
  /** Both legs of a Dial continue without the documents; replies whether there are two. */
  | { readonly type: 'release' }
  /** There is no leg to run on. */
  | { readonly type: 'abandoned' }
  | TimerFired;

/** `unanswered`: an outbound call that rings has no documents yet. */
export type TransferReply = 'transferred' | 'unanswered' | 'ended';

export type RunEffect =
  | {
      readonly do: 'fetch';
      readonly fetch: number;
      readonly request: ActionRequest;
      readonly fields: Readonly<Record<string, string>>;
    }
  | { readonly do: 'give-up-fetch'; readonly fetch: number }
  /** A request that is not stored, and whose answer is not read. */
  | {
      readonly do: 'report';
      readonly request: ActionRequest;
      readonly fields: Readonly<Record<string, string>>;
    }
  | { readonly do: 'answer' }
  | { readonly do: 'open-early' }
  | { readonly do: 'ring' }
  | { readonly do: 'hang-up'; readonly leg: string; readonly end: CallEnd }
  | {
      readonly do: 'play';
      readonly play: string;
      readonly to: readonly string[];
      readonly items: readonly PlayItem[];
      readonly loop: number;
    }
  | { readonly do: 'stop-play'; readonly play: string }
  | { readonly do: 'watch-voice'; readonly watched: boolean }
  | {
      readonly do: 'start-recognition';
      readonly recognition: string;
      readonly request: SpeechRequestOptions;
    }
  | { readonly do: 'finish-recognition' | 'cancel-recognition'; readonly recognition: string }
  | { readonly do: 'start-recording'; readonly recording: StartedRecording }
  | { readonly do: 'stop-recording'; readonly uuid: string }
  | { readonly do: 'send-digits'; readonly digits: string }
  | Extract<DialEffect, { readonly do: 'dial-leg' | 'overhear' }>
  /** The caller and this leg hear each other. */
  | { readonly do: 'bridge'; readonly leg: string }
  | { readonly do: 'unbridge' }
  | { readonly do: 'join'; readonly join: number; readonly instruction: MultiPartyCall }
  | Extract<ElementEffect, { readonly do: 'start-stream' }>
  /** For an element that was ended before its stream. */
  | { readonly do: 'stop-stream'; readonly stream: string; readonly reason: StopReason }
  | { readonly do: 'reclaim' }
  | KernelEffect<RunEvent, TransferReply | boolean>;

/** Events for the outbox; the last two carry a callback. */
export type RunEvent =
  | { readonly type: 'document-failed'; readonly url: string; readonly sentence: string }
  | { readonly type: 'document-warning'; readonly url: string; readonly sentence: string }
  | {
      readonly type: 'action' | 'dial';
      readonly request: ActionRequest;
      readonly fields: Readonly<Record<string, string>>;
    };

export function newDocumentRun(
  call: RunCall,
  first: FirstDocument,
  medium: Medium,
  limits: RunLimits = runLimits,
): DocumentRun {
  return {
    call,
    parameters: { CallUUID: call.leg },
    limits,
    phase: 'waiting',
    medium,
    asked: medium,
    first,
    fetch: null,
    fetches: 0,
    url: first.request.url,
    rest: [],
    current: null,
    plays: {},
    playsBegun: 0,
    timers: [],
    isVoiceWatched: false,
    recognition: null,
    recognitionsBegun: 0,
    recordings: [],
    onDialAnswer: [],
    joins: 0,
    hasBeeped: false,
    isReclaiming: false,
    idleSteps: 0,
  };
}
