import type { Sound, Speech, SpeechProblem, StopSignal } from '@jackfield/ports';
import type { PlayItem, SoundDocument } from '../domain/play-order.ts';
import { type FairLine, LineProblem } from './fair-line.ts';
import type { LoadedClips, TakenClip } from './loaded-clips.ts';
import type { SoundFiles } from './sound-files.ts';
import { SoundProblem } from './sound-problem.ts';
import { speakInTurn } from './spoken-clip.ts';

/** Loads files and speech into the media engine. */
export interface SoundSources {
  /** Rejects with a SoundProblem, or a LineProblem when the signal aborts. Groups take turns at the speech engine. */
  load(
    item: PlayItem,
    accounts: readonly string[],
    signal: StopSignal,
  ): Promise<LoadedSound | LoadedDocument>;
}

/** The document behind the URL of a source; it needs not be freed. */
export interface LoadedDocument {
  readonly document: SoundDocument;
}

export interface LoadedSound {
  readonly sound: Sound;
  /** Reports at most once that the rest of the sound does not come; not after `free`. */
  whenBroken(report: (problem: SoundProblem) => void): void;
  /** The play needs the sound no more. */
  free(): void;
}

export interface SoundSourcesDeps {
  readonly files: SoundFiles;
  readonly speech: Speech;
  /** Texts that wait for the speech engine. */
  readonly texts: FairLine;
  readonly clips: LoadedClips;
}

export function createSoundSources({ files, speech, texts, clips }: SoundSourcesDeps): SoundSources {
  async function takeFile(
    item: PlayItem & { kind: 'file' | 'source' },
    signal: StopSignal,
  ): Promise<TakenClip | LoadedDocument> {
    const { url, method = 'GET' } = item;
    for (;;) {
      const found = await (item.kind === 'file' ? files.get : files.getSource)(url, method, signal);
      if ('document' in found) return { document: found.document };
      const { key, clip } = found;
      // Another play handed the samples over, and the media engine dropped them before this play had its turn.
      if (clip === undefined && !clips.has(key)) continue;
      const taken = await clips.take(key, signal, async () => clip!);
      found.handOver();
      return taken;
    }
  }

  async function takeSpeech(
    item: PlayItem & { kind: 'speech' },
    accounts: readonly string[],
    signal: StopSignal,
  ): Promise<TakenClip> {
    const { text, markup, language, voice } = item;
    const engine = speech.engineOf?.(accounts);
    const key = JSON.stringify(['speech', engine, voice, language.toLowerCase(), text, markup]);
    const marked = markup === undefined ? {} : { markup };
    const request = { text, ...marked, language, voice, accounts };
    return clips.take(key, signal, (whole) => speakInTurn(speech, texts, request, whole));
  }

  async function take(
    item: PlayItem,
    accounts: readonly string[],
    signal: StopSignal,
  ): Promise<TakenClip | LoadedDocument> {
    try {
      if (item.kind === 'file' || item.kind === 'source') return await takeFile(item, signal);
      if (item.kind === 'speech') return await takeSpeech(item, accounts, signal);
    } catch (error) {
      if (error instanceof LineProblem && error.code === 'withdrawn') throw error;
      if (error instanceof SoundProblem) throw error;
      if (item.kind === 'speech') throw spoken(error);
      throw new SoundProblem('busy', 'the media engine has no room for another sound at this moment');
    }
    throw new Error(`an item of kind ${item.kind} needs not be loaded`);
  }

  return {
    async load(item, accounts, signal) {
      const clip = await take(item, accounts, signal);
      if ('document' in clip) return clip;
      if (clip.durationMs === 0) {
        clip.free();
        throw new SoundProblem('silent', 'there is nothing to be heard in it');
      }
      const sound = { kind: 'clip', name: clip.name } as const;
      const whenBroken: LoadedSound['whenBroken'] = (report) =>
        clip.whenBroken((error) => report(brokenOff(error)));
      return { sound, whenBroken, free: () => clip.free() };
    },
  };
}

/** Without the text, which may be confidential. */
function spoken(error: unknown): SoundProblem {
  const code = error instanceof LineProblem ? 'too-many-requests' : codeOf(error);
  switch (code) {
    case 'text-empty':
    case 'text-too-long':
    case 'unknown-language':
      return new SoundProblem('text-refused', `the text could not be spoken: ${(error as Error).message}`);
    case 'too-many-requests':
      return new SoundProblem(
        'busy',
        'the text could not be spoken: too many texts wait for the speech engine',
      );
    case 'timeout':
      return new SoundProblem(
        'speech-failed',
        'the text could not be spoken: the speech engine took too long',
      );
    default:
      return new SoundProblem('speech-failed', 'the text could not be spoken: the speech engine failed');
  }
}

/** Only speech comes in pieces. An error without a code is that of a media engine without room. */
function brokenOff(error: unknown): SoundProblem {
  const code = codeOf(error);
  const why =
    code === undefined
      ? 'its sound could not be completed'
      : code === 'timeout'
        ? 'the speech engine sent nothing more in time'
        : 'the speech engine failed within it';
  return new SoundProblem('speech-broke-off', `the text was heard in part: ${why}`);
}

function codeOf(error: unknown): SpeechProblem | undefined {
  return error instanceof Error && 'code' in error ? (error.code as SpeechProblem) : undefined;
}
