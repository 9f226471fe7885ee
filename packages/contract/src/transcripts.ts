import { Type } from 'typebox';
import { apiId } from './envelopes.ts';
import { codesOf, type TranscriptErrorCode, transcriptErrorCodes } from './fault-codes.ts';
import { looseEnum, looseInteger } from './loose.ts';
import { httpUrl, text } from './primitives.ts';

export { transcriptErrorCodes } from './fault-codes.ts';

/** Parameters of requests that begin a recording. */
export const transcriptionFields = {
  transcription_url: Type.Optional(
    httpUrl({
      description: 'Receives the text once, when the transcript is complete; asks for a transcript.',
    }),
  ),
  transcription_method: Type.Optional(
    looseEnum(['GET', 'POST'], { default: 'POST', description: 'HTTP method of transcription_url.' }),
  ),
  transcription_language: Type.Optional(
    text({
      maxLength: 35,
      pattern: '^[A-Za-z0-9_-]+$',
      allowed: 'a language tag such as en-US',
      description: 'Of the words; en-US when left out.',
    }),
  ),
  transcription_redact: Type.Optional(
    looseEnum(['none', 'digits'], {
      default: 'none',
      description: 'digits: each digit is masked before a word is written or sent.',
    }),
  ),
};

export const maxWords = 1_000;

export const transcriptQuery = Type.Object({
  limit: Type.Optional(
    looseInteger({ minimum: 1, maximum: maxWords, default: maxWords, description: 'Entries of words.' }),
  ),
  offset: Type.Optional(
    looseInteger({ minimum: 0, maximum: 1_000_000_000, default: 0, description: 'Entries to skip.' }),
  ),
});

const numberOrNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });
const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const transcriptWords = Type.Object({
  channel: Type.Integer({ description: 'Of the file, counted from 1.' }),
  track: Type.Unsafe<'inbound' | 'outbound' | 'both' | null>({
    type: ['string', 'null'],
    enum: ['inbound', 'outbound', 'both', null],
    description: 'Of a call, as in audio streams: what it says, what it hears; null in a multiparty call.',
  }),
  member_id: textOrNull('The participant of a multiparty call who speaks, where the recording knows it.'),
  from_ms: Type.Integer({ description: 'Milliseconds of the file.' }),
  to_ms: Type.Integer({ description: 'Milliseconds of the file.' }),
  text: Type.String(),
  confidence: numberOrNull('From 0 to 1; null from an engine that gives none.'),
});

export const transcriptBody = Type.Object(
  {
    api_id: apiId,
    recording_id: Type.String(),
    status: Type.Unsafe<'in-progress' | 'completed' | 'failed'>({
      type: 'string',
      enum: ['in-progress', 'completed', 'failed'],
      description: 'in-progress until the recording has ended and all of it is transcribed.',
    }),
    language: Type.String(),
    transcribed_ms: Type.Integer({
      description: 'Milliseconds of the file that are transcribed on all channels.',
    }),
    error: textOrNull('Why it failed.'),
    error_code: Type.Unsafe<TranscriptErrorCode | null>({
      type: ['string', 'null'],
      enum: [...codesOf(transcriptErrorCodes), null],
      description: 'error as a code of docs/reference/errors.md.',
    }),
    total_count: Type.Integer({ description: 'Entries of words in all.' }),
    words: Type.Array(transcriptWords, {
      description: 'In order of time; an entry is what is said between two pauses.',
    }),
  },
  { title: 'Transcript' },
);
