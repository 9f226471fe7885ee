/** Codes of one kind of fault, each with the sentence of docs/reference/errors.md that says when it is sent. */
type FaultCodes = Readonly<Record<string, string>>;

/** `problem_code`: why an attempt at a callback was no success. */
export const callbackProblemCodes = {
  'address-refused':
    'The URL leads to an address that requests may not go to. The callback is not sent again.',
  unreachable: 'The name is unknown, the port is closed, or TLS failed.',
  'connect-timeout': 'The connection took longer than `ct` of the URL.',
  'read-timeout': 'The answer paused for longer than `rt` of the URL.',
  'total-timeout': 'The whole request took longer than `tt` of the URL.',
  'broken-answer': 'The connection was closed during the answer, or the answer is not HTTP.',
  'answer-too-large': 'The body of the answer is longer than accepted.',
  'unexpected-status': 'The answer has a status that is no success: `response_status`.',
} as const satisfies FaultCodes;
export type CallbackProblemCode = keyof typeof callbackProblemCodes;

/** `problem_code` of `sound.failed` and `sound.broken-off`: why an item of a play was not played, or not to its end. */
export const soundProblemCodes = {
  'address-refused': 'The URL leads to an address that requests may not go to, is no URL, or has a password.',
  unreachable: 'The name is unknown, the port is closed, or TLS failed.',
  timeout: 'The server did not send the whole file in time.',
  'broken-answer': 'The connection was closed during the answer, or the answer is not HTTP.',
  'unexpected-status': 'The answer has another status than 200.',
  'file-too-large': 'The file has more bytes than accepted.',
  'file-too-long': 'The file plays for longer than accepted.',
  'not-a-sound':
    'The answer is neither an MP3 nor a WAV file, or the file is broken, or a document is not one of sounds.',
  silent: 'The file or the text has no audio.',
  'text-refused': 'The text is empty or too long, or its language is unknown.',
  'speech-failed': 'The speech engine failed or took too long.',
  'speech-broke-off': 'The rest of a text did not come: its listeners heard the part before.',
  busy: 'Too many files are fetched, or too many texts are spoken, at this moment.',
  internal: 'A fault of the platform, which is in its log.',
} as const satisfies FaultCodes;
export type SoundProblemCode = keyof typeof soundProblemCodes;

/** `RecordingErrorCode`: why there is no complete file of a recording. */
export const recordingErrorCodes = {
  'disk-full': 'The disk or its quota has no space.',
  'disk-slow': 'The disk did not open, write or complete the file in time.',
  'disk-failed': 'The disk refused the file for any other reason.',
  'file-too-large': 'The file would be larger than the limit of the platform.',
  'too-many-recordings': 'As many recordings or files are open as the platform allows.',
  interrupted: 'The platform was restarted before anything was written.',
  internal: 'A fault of the platform, which is in its log.',
} as const satisfies FaultCodes;
export type RecordingErrorCode = keyof typeof recordingErrorCodes;

/** `ErrorCode` of `recording.transcript-failed`, and `error_code` of a transcript. */
export const transcriptErrorCodes = {
  'unknown-language': 'The speech engine does not know the language.',
  'engine-unreachable': 'The speech engine could not be reached for an hour.',
  'engine-slow': 'The speech engine did not answer in time, again and again.',
  'engine-failed': 'The speech engine failed, or answered nonsense, again and again.',
  'no-file': 'The recording has no file, or no sound that can be read.',
} as const satisfies FaultCodes;
export type TranscriptErrorCode = keyof typeof transcriptErrorCodes;

/** `ErrorCode` of a stream that failed or was interrupted, and `error_code` of its record. */
export const streamErrorCodes = {
  'address-refused': 'The URL leads to an address that connections may not go to.',
  unreachable: 'No attempt to connect succeeded: name, port, TLS or the upgrade.',
  'connection-lost': 'The connection was cut, or closed with another code than 1000.',
  'no-capacity': 'The media engine has no slot for another stream.',
  'account-gone': 'The account of the stream was deleted.',
  'platform-restarted': 'The platform was restarted.',
  internal: 'A fault of the platform, which is in its log.',
} as const satisfies FaultCodes;
export type StreamErrorCode = keyof typeof streamErrorCodes;

/** `StatusReasonCode` of the last callback of a stream, and `status_reason_code` of its record. */
export const streamReasonCodes = {
  'api-request': '`API request`: a request or an element stopped it.',
  'call-hangup': '`Call hangup`: the call or the multiparty call has ended.',
  'stream-timeout': '`Stream timeout`: its time limit was reached.',
  'connection-error': '`Connection error`: it failed; `ErrorCode` says why.',
  'closed-by-application': '`Closed by the application`: your server closed with 1000, or sent `stop`.',
} as const satisfies FaultCodes;
export type StreamReasonCode = keyof typeof streamReasonCodes;

/** `reasonCode` of `playFailed`, and `ErrorCode` of `stream.frame-refused`: why a frame of the application was not used. */
export const frameRefusalCodes = {
  'malformed-frame': 'The message is not a JSON object, or a member is missing or has a wrong value.',
  'unknown-event': 'The `event` is none that the platform accepts.',
  'foreign-stream': '`streamId` names another stream.',
  'message-too-long': 'The message has more bytes than accepted.',
  'binary-refused': 'Binary messages were not agreed on: `binary_frames`.',
  'unsupported-audio': 'The content type, the rate or the WAV format is not supported.',
  'unsupported-keys': 'A phone takes no telephone events (RFC 4733), which keys are sent as.',
  'queue-full': 'As much audio, or as many checkpoints or keys, wait as may wait.',
} as const satisfies FaultCodes;
export type FrameRefusalCode = keyof typeof frameRefusalCodes;

/** One table of docs/reference/errors.md. */
export interface FaultKind {
  readonly title: string;
  /** The sentence above the table, in Markdown: which fields have these codes. */
  readonly fields: string;
  readonly codes: FaultCodes;
}

/** Every closed table of codes of faults that are no refusals of a request. */
export const faultKinds: readonly FaultKind[] = [
  {
    title: 'Callbacks',
    fields:
      '`problem_code` of a callback, of each attempt in its `attempt_log`, and of its events. Null after a success.',
    codes: callbackProblemCodes,
  },
  {
    title: 'Sounds',
    fields: '`problem_code` of `sound.failed` and `sound.broken-off`, beside `problem`.',
    codes: soundProblemCodes,
  },
  {
    title: 'Recordings',
    fields: '`RecordingErrorCode`, beside `RecordingError`; `recording_error_code` of the record.',
    codes: recordingErrorCodes,
  },
  {
    title: 'Transcripts',
    fields: '`ErrorCode` of `recording.transcript-failed`, beside `error`; `error_code` of the transcript.',
    codes: transcriptErrorCodes,
  },
  {
    title: 'Streams',
    fields: '`ErrorCode`, beside `Error`; `error_code` of the record, beside `error`.',
    codes: streamErrorCodes,
  },
  {
    title: 'Ends of streams',
    fields:
      '`StatusReasonCode`, beside `StatusReason`; `status_reason_code` of the record, beside `status_reason`.',
    codes: streamReasonCodes,
  },
  {
    title: 'Frames of streams',
    fields:
      '`reasonCode` of `playFailed`, beside `reason`; `ErrorCode` of `stream.frame-refused`, beside `Error`.',
    codes: frameRefusalCodes,
  },
];

/** The values of a field that has a code of this table. */
export function codesOf<Code extends string>(codes: Readonly<Record<Code, string>>): readonly Code[] {
  return Object.keys(codes) as Code[];
}
