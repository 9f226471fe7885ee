import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { wideClip } from '@jackfield/adapters/media-worker';
import { greeting, greetingClip, sentences, talkerClip } from '@jackfield/platform';
import type { Logger, MediaClips, SoundClip, Speech } from '@jackfield/ports';

export interface SandboxClipsDeps {
  readonly speech: Speech;
  readonly clips: MediaClips;
  readonly log: Logger;
  /** Keeps what was spoken for the next start; a directory of this user below that of temporary files when left out. */
  readonly directory?: string;
}

/** A speaker's pause after a sentence. */
const pauseSeconds = 0.7;

const textsOfClips = [
  [greetingClip, [greeting]],
  [talkerClip, sentences],
] as const;

/** Rate of the samples, in front of them: 32 bits, little-endian. */
const headBytes = 4;

/**
 * Loads what the phones of the sandbox say. It is spoken and converted once for all starts of this user: the start of the speech engine and
 * all sentences take about 1 s of CPU.
 */
export async function loadSandboxClips(deps: SandboxClipsDeps): Promise<void> {
  const { directory = join(tmpdir(), `jackfield-clips-${userInfo().uid}`) } = deps;
  await Promise.all(
    textsOfClips.map(async ([name, texts]) =>
      deps.clips.loadClip(name, await clipOf(deps, directory, texts)),
    ),
  );
}

async function clipOf(
  { speech, log }: SandboxClipsDeps,
  directory: string,
  texts: readonly string[],
): Promise<SoundClip> {
  const name = createHash('sha256')
    .update(JSON.stringify(['wide', texts, pauseSeconds, speech.engineOf?.([])]))
    .digest('hex')
    .slice(0, 16);
  const path = join(directory, `${name}.pcm`);
  const known = await readClip(directory, path);
  if (known !== undefined) return known;
  const spoken = wideClip(await speakAll(speech, texts));
  await writeClip(directory, path, spoken).catch((err: unknown) => {
    log.debug({ directory, err }, 'clips of the sandbox were not kept; the next start speaks them again');
  });
  return spoken;
}

/** Undefined where there is none, or where another user could have written it. */
async function readClip(directory: string, path: string): Promise<SoundClip | undefined> {
  try {
    const { uid, mode } = await stat(directory);
    if (uid !== userInfo().uid || (mode & 0o022) !== 0) return undefined;
    const bytes = await readFile(path);
    const sampleRate = bytes.readUInt32LE(0);
    // The buffer of a small file begins anywhere in a larger one: samples need an even offset.
    const { buffer } = new Uint8Array(bytes.subarray(headBytes));
    return sampleRate === 0 || buffer.byteLength === 0
      ? undefined
      : { sampleRate, samples: new Int16Array(buffer) };
  } catch {
    return undefined;
  }
}

/** Another start reads the whole file or none. */
async function writeClip(directory: string, path: string, { sampleRate, samples }: SoundClip): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const bytes = Buffer.alloc(headBytes + samples.byteLength);
  bytes.writeUInt32LE(sampleRate, 0);
  bytes.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), headBytes);
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, bytes, { mode: 0o600 });
  await rename(draft, path);
}

/** All texts in one clip, each followed by a pause where there are several. */
async function speakAll(speech: Speech, texts: readonly string[]): Promise<SoundClip> {
  const spoken = await Promise.all(texts.map((text) => speech.speak({ text, language: 'en-US' })));
  const sampleRate = spoken[0]?.sampleRate ?? 22_050;
  const pause = texts.length === 1 ? 0 : Math.round(sampleRate * pauseSeconds);
  const samples = new Int16Array(spoken.reduce((sum, clip) => sum + clip.samples.length + pause, 0));
  let position = 0;
  for (const clip of spoken) {
    samples.set(clip.samples, position);
    position += clip.samples.length + pause;
  }
  return { sampleRate, samples };
}
