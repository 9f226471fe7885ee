import type { RecordingFailure, RecordingFailureCode } from '@jackfield/ports';

/** Why a recording has no complete file; its message is the sentence for operators and customers. */
export class RecordingError extends Error {
  readonly code: RecordingFailureCode;

  constructor(code: RecordingFailureCode, sentence: string) {
    super(sentence);
    this.name = 'RecordingError';
    this.code = code;
  }
}

const refusals: ReadonlyMap<string, RecordingFailure> = new Map([
  ['ENOSPC', { code: 'disk-full', sentence: 'the disk is full' }],
  ['EDQUOT', { code: 'disk-full', sentence: 'the disk quota is used up' }],
  ['EROFS', { code: 'disk-failed', sentence: 'the disk is read-only' }],
  ['EACCES', { code: 'disk-failed', sentence: 'the directory of recordings may not be written to' }],
  ['EPERM', { code: 'disk-failed', sentence: 'the directory of recordings may not be written to' }],
  ['ENOENT', { code: 'disk-failed', sentence: 'the directory of recordings does not exist' }],
  ['ENOTDIR', { code: 'disk-failed', sentence: 'the path of recordings is not a directory' }],
  ['EEXIST', { code: 'disk-failed', sentence: 'a file with this name already exists' }],
  ['EMFILE', { code: 'too-many-recordings', sentence: 'too many files are open' }],
  ['ENFILE', { code: 'too-many-recordings', sentence: 'too many files are open' }],
  ['EIO', { code: 'disk-failed', sentence: 'the disk is broken' }],
] satisfies [string, RecordingFailure][]);

/** The failure behind an error, without a path of this machine. */
export function failureOf(error: unknown): RecordingFailure {
  if (error instanceof RecordingError) return { code: error.code, sentence: error.message };
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') {
    return refusals.get(code) ?? { code: 'disk-failed', sentence: `the disk refused: ${code}` };
  }
  return { code: 'internal', sentence: error instanceof Error ? error.message : String(error) };
}
