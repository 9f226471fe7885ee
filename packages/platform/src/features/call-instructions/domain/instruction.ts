import type {
  LegSpec,
  MachineDetection,
  SpeechRequestOptions,
  StreamDialectName,
  VoiceActivityLimits,
} from '@jackfield/ports';
import type { TranscriptRequest } from '../../recordings/index.ts';
import type { MiddleEvent, NewStream } from '../../streams/index.ts';

/**
 * The elements of an answer document (docs/interface/multiparty-calls.md#the-element, docs/interface/documents.md#order): checked,
 * with defaults, times in milliseconds or in the unit of the name.
 */
export type Instruction =
  | Prompt
  | Wait
  | GetDigits
  | GetInput
  | Record
  | Dial
  | MultiPartyCall
  | Stream
  | { readonly element: 'PreAnswer'; readonly children: readonly (Prompt | Wait)[] }
  | { readonly element: 'Redirect'; readonly request: ActionRequest }
  | { readonly element: 'DTMF'; readonly digits: string; readonly isAsync: boolean }
  | {
      readonly element: 'Hangup';
      /** The refusal of an unanswered call; null hangs up. */
      readonly reason: 'rejected' | 'busy' | null;
      /** The call ends after this time, and further elements run until then; 0: at once. */
      readonly scheduleSeconds: number;
    };

/** Audio for the caller; `loop` 0 repeats for ever. */
export type Prompt =
  | {
      readonly element: 'Speak';
      readonly text: string;
      /** The same with the markup that speech engines follow. */
      readonly markup?: string;
      readonly language: string;
      readonly voice: 'woman' | 'man';
      readonly loop: number;
    }
  | { readonly element: 'Play'; readonly url: string; readonly loop: number };

export interface Wait {
  readonly element: 'Wait';
  readonly lengthMs: number;
  /** False: hold music is heard. */
  readonly silence: boolean;
  /** Ends when the caller was silent for so long; null: only after `lengthMs`. */
  readonly minSilenceMs: number | null;
  /** A beep in front of it. */
  readonly beep: boolean;
  /** Ends at the beep of an answering machine that was detected. */
  readonly untilBeep?: boolean;
}

/** A request for the next document. */
export interface ActionRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
}

export interface GetDigits {
  readonly element: 'GetDigits';
  readonly action: ActionRequest | null;
  /** False: the answer to `action` is not read. */
  readonly redirect: boolean;
  /** Until the first digit, counted from the end of the prompts. */
  readonly timeoutMs: number;
  /** From digit to digit. */
  readonly digitTimeoutMs: number;
  readonly numDigits: number;
  /** Rounds of prompts at most while no valid key was pressed: 1 is a single round. */
  readonly retries: number;
  /** Characters that end the input; empty: none. */
  readonly finishOnKey: string;
  readonly validDigits: string;
  readonly playBeep: boolean;
  readonly invalidDigitsSound: string | null;
  /** False: digits appear in no log and no event. */
  readonly log: boolean;
  readonly prompts: readonly Prompt[];
}

export interface GetInput {
  readonly element: 'GetInput';
  readonly action: ActionRequest;
  readonly redirect: boolean;
  readonly executionTimeoutMs: number;
  /** Null: automatic, which is 2 s here. */
  readonly digitEndTimeoutMs: number | null;
  readonly numDigits: number;
  readonly finishOnKey: string;
  readonly log: boolean;
  readonly prompts: readonly Prompt[];
  /** Absent: keys alone. */
  readonly speech?: SpokenInput;
}

/** What a GetInput says of speech. */
export interface SpokenInput extends Omit<SpeechRequestOptions, 'interim'> {
  /** Keys are input as well. */
  readonly withKeys: boolean;
  /** Silence after which the speech is complete; null: automatic, which is 1 s here. */
  readonly endTimeoutMs: number | null;
  /** Receives partial results. */
  readonly interimCallback: ActionRequest | null;
}

export interface Record {
  readonly element: 'Record';
  readonly action: ActionRequest | null;
  readonly redirect: boolean;
  readonly format: 'mp3' | 'wav';
  /** Silence after which it ends. */
  readonly timeoutMs: number;
  readonly maxLengthSeconds: number;
  readonly finishOnKey: string;
  readonly playBeep: boolean;
  /** Runs beside the next elements, until the call ends. */
  readonly recordSession: boolean;
  /** Waits for the answer of the next Dial. */
  readonly startOnDialAnswer: boolean;
  readonly channels: 'mono' | 'stereo';
  readonly callback: ActionRequest | null;
  readonly transcript: TranscriptRequest | null;
}

export interface Dial {
  readonly element: 'Dial';
  readonly action: ActionRequest | null;
  readonly redirect: boolean;
  /** Seconds that the phones may ring. */
  readonly timeoutSeconds: number;
  readonly timeLimitSeconds: number;
  readonly callerId: string | null;
  readonly callerName: string | null;
  readonly hangupOnStar: boolean;
  readonly callback: ActionRequest | null;
  readonly confirmSound: string | null;
  readonly confirmKey: string | null;
  readonly confirmTimeoutSeconds: number;
  /** What the caller hears: `real` and null are ringback, otherwise a URL. */
  readonly dialMusic: string | null;
  /** Sequences of the A leg and of the B leg that are reported to `callback`. */
  readonly digitsMatch: readonly string[];
  readonly digitsMatchBLeg: readonly string[];
  /** Names without the `X-PH-` prefix. */
  readonly sipHeaders: Readonly<{ [name: string]: string }>;
  /** Of every phone. */
  readonly machineDetection?: MachineDetection;
  /** All are rung at once; the first to answer (and to confirm) is connected. */
  readonly destinations: readonly DialDestination[];
}

/** The settings of one leg by its own element; the Dial element has the others. */
export interface DialDestination
  extends Pick<LegSpec, 'to' | 'sendDigits' | 'sendOnPreanswer' | 'sipHeaders'> {
  readonly kind: 'number' | 'user';
  readonly callerId: string | null;
}

export interface MultiPartyCall {
  readonly element: 'MultiPartyCall';
  readonly name: string;
  readonly role: 'agent' | 'supervisor' | 'customer' | 'ai-agent';
  /** Of an ai-agent: the WebSocket that joins instead of the caller, whose document continues at once. */
  readonly agent?: Pick<NewStream, 'serviceUrl' | 'contentType' | 'extraHeaders' | 'statusCallback'>;
  readonly coachMode: boolean;
  readonly mute: boolean;
  readonly hold: boolean;
  readonly stayAlone: boolean;
  readonly startMpcOnEnter: boolean;
  readonly endMpcOnExit: boolean;
  readonly maxDurationSeconds: number;
  readonly maxParticipants: number;
  readonly recordMinMemberCount: number;
  /** Only an agent starts the call. */
  readonly waitForAgent: boolean;
  /** Longest time of that wait; null: no limit. */
  readonly waitSeconds: number | null;
  readonly relayDtmfInputs: boolean;
  readonly enterSound: 'beep:1' | 'beep:2' | 'none' | ActionRequest;
  readonly exitSound: 'beep:1' | 'beep:2' | 'none' | ActionRequest;
  readonly statusCallback: (ActionRequest & { readonly events: string }) | null;
  readonly recordingCallback: ActionRequest | null;
  readonly recording: {
    readonly wholeCall: boolean;
    readonly eachParticipant: boolean;
    readonly format: 'mp3' | 'wav';
    /** Of a supervisor who coaches. */
    readonly coachVoice: boolean;
    /** Played to all before a recording begins, and after it was stopped. */
    readonly startSound: ActionRequest | null;
    readonly stopSound: ActionRequest | null;
    readonly transcript: TranscriptRequest | null;
  };
  /** Null: the built-in one. */
  readonly music: {
    readonly wait: ActionRequest | null;
    readonly agentHold: ActionRequest | null;
    readonly customerHold: ActionRequest | null;
  };
  readonly onExitAction: ActionRequest | null;
}

export interface Stream {
  readonly element: 'Stream';
  readonly url: string;
  readonly bidirectional: boolean;
  readonly audioTrack: 'inbound' | 'outbound' | 'both';
  readonly timeoutSeconds: number;
  readonly contentType: string;
  readonly dialect: StreamDialectName;
  readonly keepCallAlive: boolean;
  readonly extraHeaders: string;
  readonly statusCallback: ActionRequest | null;
  /** 60–100; null: none. */
  readonly noiseCancellationLevel: number | null;
  /** Callbacks between its beginning and its end; null: all. */
  readonly middleEvents: readonly MiddleEvent[] | null;
  readonly resumable: boolean;
  readonly fallbackUrl: string | null;
  readonly binaryFrames: boolean;
  /** Frames for the beginning and the end of speech. */
  readonly voiceActivity?: VoiceActivityLimits;
  readonly stopFrame: boolean;
}

/** The instructions of a document, or its first fault. */
export type ReadDocument =
  | {
      readonly ok: true;
      readonly instructions: readonly Instruction[];
      /** Parts of the document that are not carried out, in sentences for the customer. */
      readonly warnings: readonly string[];
    }
  | {
      readonly ok: false;
      /** `url` and `method`: of an action or a redirect; docs/interface/calls.md#hangup-causes has causes for them. */
      readonly fault: 'xml' | 'url' | 'method';
      /** What is wrong, in which line, and what is allowed. */
      readonly sentence: string;
    };
