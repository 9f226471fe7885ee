import { isTest, isTypeScript, lineAt, type SourceCheck } from './check-result.ts';
import { maskOf } from './masked-text.ts';
import { isPure } from './workspace-path.ts';

// The compiler refuses what needs Node or the DOM (tsconfig.pure.json); these are part of the language itself.
const impure: readonly (readonly [RegExp, string])[] = [
  [/\bDate\s*\.\s*now\b/g, 'Date.now: time is an argument (now: Instant)'],
  [/\bnew\s+Date\s*(?:\(\s*\)|(?![\s(]))/g, 'new Date(): time is an argument (now: Instant)'],
  [/(?<![.\w])(?<!\bnew\s+)Date\s*\(\s*\)/g, 'Date(): time is an argument (now: Instant)'],
  [/\bMath\s*\.\s*random\b/g, 'Math.random: randomness is an argument'],
  [
    /(?<![.\w])(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/g,
    'a timer is an effect: { do: start-timer, key, at }',
  ],
  [/\bperformance\s*\.\s*now\b/g, 'performance.now: time is an argument (now: Instant)'],
  [/(?<![.\w])crypto\s*\./g, 'crypto: randomness and digests are arguments'],
  [/(?<![.\w])(?:process\s*\.|(?:Buffer|globalThis)\b)/g, 'pure code touches nothing of Node'],
  [/(?<![.\w])(?:async|await)\b/g, 'nothing is awaited in pure code: outcomes come back as inputs'],
];

/** Time, randomness and timers stay out of the protocol libraries and of every domain folder. */
export const purity: SourceCheck = {
  name: 'purity',
  find(files) {
    return files
      .filter((file) => isTypeScript(file) && isPure(file.path) && !isTest(file.path))
      .flatMap((file) => {
        const { code } = maskOf(file);
        return impure.flatMap(([pattern, sentence]) =>
          [...code.matchAll(pattern)].map((match) => ({
            path: file.path,
            line: lineAt(file.text, match.index),
            sentence,
          })),
        );
      });
  },
};
