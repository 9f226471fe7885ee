import { type LooseBoolean, readBoolean, readRequest } from '@jackfield/contract';
import { type Problem, problem } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import type { TranscriptRequest } from '../domain/transcript-request.ts';

/** The parameters of a request that asks for a transcript. */
export interface TranscriptParameters {
  readonly transcript?: LooseBoolean;
  readonly transcription_type?: string;
  readonly transcription_url?: string;
  readonly transcription_method?: string;
  readonly transcription_language?: string;
  readonly transcription_redact?: string;
}

export const noTranscripts =
  'recordings are not transcribed here: the operator has set no engine in JACKFIELD_SPEECH_ENGINE (docs/guides/speech-recognition.md)';

/** Null where none is asked for; refused without an engine. */
export function readTranscriptRequest(
  body: TranscriptParameters,
  canTranscribe: boolean,
): Result<TranscriptRequest | null> {
  const asking = (['transcript', 'transcription_type', 'transcription_url'] as const).find((name) =>
    name === 'transcript' ? readBoolean(body[name]) === true : body[name] !== undefined,
  );
  if (asking === undefined) return accepted(null);
  if (!canTranscribe) return refused(withoutEngine(asking));
  return accepted({
    language: (body.transcription_language ?? 'en-US').replaceAll('_', '-'),
    redactsDigits: body.transcription_redact?.toLowerCase() === 'digits',
    callback: readRequest(body.transcription_url, body.transcription_method),
  });
}

function withoutEngine(parameter: string): Problem {
  return { ...problem('invalid-parameter', `${parameter} must be left out: ${noTranscripts}`), parameter };
}
