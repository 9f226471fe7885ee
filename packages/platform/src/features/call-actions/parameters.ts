import {
  maxPlayUrls,
  type NewCallPlay,
  type NewCallRecording,
  type NewCallSpeech,
  readBoolean,
  readInteger,
  readRequest,
  readVoice,
} from '@jackfield/contract';
import { invalidParameter, type Problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { readSsml, voiceWarning } from '../call-instructions/index.ts';
import { readTranscriptRequest, type TranscriptRequest } from '../recordings/index.ts';
import type { PlayItem } from '../sounds/index.ts';

/** The requested sound, without its listeners. */
export interface SoundSpec {
  readonly items: readonly PlayItem[];
  readonly loop: number;
  readonly alone: boolean;
  readonly lengthMs?: number;
}

export interface RecordingSpec {
  readonly format: 'mp3' | 'wav';
  readonly channels: 'mono' | 'stereo';
  readonly maxSeconds: number;
  readonly callback: { readonly url: string; readonly method: 'GET' | 'POST' } | null;
  readonly transcript: TranscriptRequest | null;
}

const urlShape = /^https?:\/\/[^\s\p{Cc}\p{Cs}/?#]+[^\s\p{Cc}\p{Cs}]*$/iu;

/** Reads a validated body; `parameter` is the client's name of the list. A comma separates only in front of another URL: URLs may hold commas. */
export function readPlay(body: NewCallPlay, parameter = 'urls'): Result<SoundSpec> {
  const list = typeof body.urls === 'string' ? body.urls.split(/,(?=\s*https?:\/\/)/i) : body.urls;
  const urls = list.map((each) => each.trim());
  const wrong = urls.find((url) => url.length > 2048 || !urlShape.test(url) || !URL.canParse(url));
  const allowed = `one URL of an MP3 or WAV file that starts with http:// or https://, of at most 2048 characters, or several (at most ${maxPlayUrls}) separated by commas`;
  if (wrong !== undefined) return refused(invalidParameter(parameter, wrong, allowed));
  if (urls.length > maxPlayUrls) {
    return refused(invalidParameter(parameter, `${urls.length} URLs`, allowed));
  }
  const seconds = readInteger(body.length);
  return accepted({
    items: urls.map((url) => ({ kind: 'file', url })),
    ...soundOf(body),
    ...(seconds === undefined ? {} : { lengthMs: seconds * 1000 }),
  });
}

/** Reads a validated body. Markup is read as inside of a <Speak>, and its warnings are those of the result. */
export function readSpeech(body: NewCallSpeech): Result<SoundSpec> {
  const { voice = 'WOMAN', language = 'en-US' } = body;
  const warning = voiceWarning(voice);
  const warnings = warning === undefined ? [] : [warning];
  const specOf = (spoken: { readonly text: string; readonly markup?: string }): SoundSpec => ({
    items: [{ kind: 'speech', ...spoken, language, voice: readVoice(voice) }],
    ...soundOf(body),
  });
  if (body.type?.toLowerCase() === 'ssml') {
    const read = readSsml(body.text, language);
    if (!read.ok) return refused(unspeakable(read.sentence));
    return accepted(specOf(read.spoken), [...warnings, ...read.warnings.map((each) => `text: ${each}`)]);
  }
  if (body.text.trim() === '') {
    return refused(invalidParameter('text', body.text, 'a text of 1 to 3000 characters with words in it'));
  }
  return accepted(specOf({ text: body.text }), warnings);
}

function unspeakable(sentence: string): Problem {
  return {
    code: 'invalid-parameter',
    sentence: `text must be SSML that can be spoken: ${sentence}`,
    parameter: 'text',
  };
}

export function readRecording(body: NewCallRecording, canTranscribe: boolean): Result<RecordingSpec> {
  const transcript = readTranscriptRequest(body, canTranscribe);
  if (!transcript.ok) return transcript;
  return accepted({
    format: body.file_format?.toLowerCase() === 'wav' ? 'wav' : 'mp3',
    channels: body.record_channel_type?.toLowerCase() === 'mono' ? 'mono' : 'stereo',
    maxSeconds: readInteger(body.time_limit) ?? 60,
    callback: readRequest(body.callback_url, body.callback_method),
    transcript: transcript.value,
  });
}

function soundOf(body: Pick<NewCallPlay, 'loop' | 'mix'>): Pick<SoundSpec, 'loop' | 'alone'> {
  return { loop: readBoolean(body.loop) === true ? 0 : 1, alone: readBoolean(body.mix) === false };
}
