import { noTranscripts, type TranscriptRequest } from '../../recordings/index.ts';
import type { Attributes } from './attributes.ts';
import type { Reading } from './reading.ts';

/** What <Record> and <MultiPartyCall> say about a transcript; a warning without an engine, because the recording is made all the same. */
export function readTranscript(
  attributes: Attributes,
  isAsked: boolean,
  reading: Pick<Reading, 'recognisesSpeech'>,
): TranscriptRequest | null {
  const callback = attributes.request('transcriptionUrl', 'transcriptionMethod');
  const language = attributes.text('transcriptionLanguage', {
    pattern: /^[A-Za-z0-9_-]{1,35}$/,
    allowed: 'a language tag such as en-US',
  });
  const redact = attributes.oneOf('transcriptionRedact', ['none', 'digits'], 'none');
  if (!isAsked && callback === null) return null;
  if (!reading.recognisesSpeech) {
    attributes.warn(noTranscripts);
    return null;
  }
  return {
    language: (language ?? 'en-US').replaceAll('_', '-'),
    redactsDigits: redact === 'digits',
    callback,
  };
}
