import {
  isTest,
  isTypeScript,
  lineAt,
  type SourceCheck,
  type SourceFile,
  type Violation,
} from './check-result.ts';
import { maskOf } from './masked-text.ts';

// Put together here, so that this file does not refuse itself.
const marks = ['TO' + 'DO', 'FIX' + 'ME', 'HA' + 'CK'];
const promise = new RegExp(String.raw`\b(?:${marks.join('|')})\b`, 'g');
const runner = String.raw`(?<![.\w$])(?:test|it|describe|suite)`;

const offInTests: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(String.raw`${runner}\s*\.\s*(?:skip|todo)\s*\(`, 'g'),
    "a test is skipped by its option, with the reason: { skip: installed ? false : 'x is not installed' }",
  ],
  [new RegExp(String.raw`${runner}\s*\.\s*only\s*\(`, 'g'), 'only() hides the other tests'],
  [/\bonly\s*:\s*true\b/g, 'only hides the other tests'],
  [/\b(?:skip|todo)\s*:\s*true\b/g, "a skipped test says why: { skip: 'the reason' }"],
  [/\.\s*(?:skip|todo)\s*\(\s*\)/g, "a skipped test says why: t.skip('the reason')"],
];

/** The source has no notes of postponed work, and no test is disabled without a reason. */
export const keptPromises: SourceCheck = {
  name: 'kept promises',
  find: (files) => files.filter(isTypeScript).flatMap((file) => [...putOff(file), ...switchedOff(file)]),
};

function putOff(file: SourceFile): readonly Violation[] {
  return [...file.text.matchAll(promise)].map((match) => ({
    path: file.path,
    line: lineAt(file.text, match.index),
    sentence: `${match[0]}: do it now, or open an issue and leave no note in the source`,
  }));
}

function switchedOff(file: SourceFile): readonly Violation[] {
  if (!isTest(file.path)) return [];
  const { code } = maskOf(file);
  return offInTests.flatMap(([pattern, sentence]) =>
    [...code.matchAll(pattern)].map((match) => ({
      path: file.path,
      line: lineAt(file.text, match.index),
      sentence,
    })),
  );
}
