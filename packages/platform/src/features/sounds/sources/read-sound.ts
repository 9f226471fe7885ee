import type { DecodeProblem, EgressAnswer, SoundClip, SoundDecoder } from '@jackfield/ports';
import { headerText } from '../domain/freshness.ts';
import type { SoundDocument, SoundProblemCode } from '../domain/play-order.ts';
import type { ReadSoundDocument } from '../public-api.ts';
import { SoundProblem } from './sound-problem.ts';

/** Faults of the file; the other problems are the decoder's. */
const fileFaults: ReadonlyMap<unknown, SoundProblemCode> = new Map<DecodeProblem, SoundProblemCode>([
  ['unknown-format', 'not-a-sound'],
  ['broken-file', 'not-a-sound'],
  ['too-long', 'file-too-long'],
]);

/** Whether the body is a document: no MP3 or WAV file begins with `<`, and its server may give any type. */
export function looksLikeXml(body: Uint8Array): boolean {
  let at = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  while (at < body.length && isWhiteSpace(body[at] as number)) at++;
  return body[at] === 0x3c;
}

/** Throws a SoundProblem. */
export function readDocument(answer: EgressAnswer, readSoundDocument: ReadSoundDocument): SoundDocument {
  const read = readSoundDocument(answer.body);
  if (!('sentence' in read)) return read;
  throw new SoundProblem(
    'not-a-sound',
    `neither an MP3 nor a WAV file ${receivedBody(answer)}, nor a document of sounds: ${read.sentence}`,
  );
}

/** Rejects with a SoundProblem. */
export async function decodeSound(
  answer: EgressAnswer,
  decoder: SoundDecoder,
  maxSeconds: number,
): Promise<SoundClip> {
  try {
    return await decoder.decode(answer.body, { seconds: maxSeconds });
  } catch (error) {
    const code = fileFaults.get((error as { code?: unknown }).code);
    if (code === undefined) throw new SoundProblem('busy', 'it could not be decoded at this moment');
    const reason = error instanceof Error ? error.message : String(error);
    throw new SoundProblem(code, `${reason} ${receivedBody(answer)}`);
  }
}

function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function receivedBody(answer: EgressAnswer): string {
  return `(${answer.body.length} bytes${contentTypeOf(answer)} came; MP3 and WAV files are played)`;
}

function contentTypeOf({ headers }: EgressAnswer): string {
  const type = headerText(headers, 'content-type')?.split(';')[0]?.trim() ?? '';
  return /^[\w.+-]{1,40}\/[\w.+-]{1,40}$/.test(type) ? ` of ${type}` : '';
}
