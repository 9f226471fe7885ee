import type { SpeechResult } from '@jackfield/ports';

/** A word with its times in seconds and its confidence, as pocketsphinx writes it with `-time yes`. */
const timedWord = /^(\S+) (\d+\.\d+) (\d+\.\d+) (\d+\.\d+)$/;
/** Marks of silence, noise and steps of a grammar, which are not words: `<s>`, `<sil>`, `[NOISE]`, `++UM++`, `(NULL)`. */
const noWord = /^(<.*>|\[.*\]|\+\+.*\+\+|\(.*\))$/;

interface Line {
  readonly text: string;
  readonly words: { readonly confidence: number; readonly fromMs: number; readonly toMs: number }[];
}

/** Reads lines of text, each perhaps followed by lines of its words. */
export function readTranscript(output: string): readonly Omit<SpeechResult, 'isFinal'>[] {
  const lines: Line[] = [];
  for (const line of output.split('\n').map((each) => each.trim())) {
    const timed = timedWord.exec(line);
    if (timed === null) {
      if (line !== '') lines.push({ text: line, words: [] });
      continue;
    }
    const [, word = '', from, to, confidence] = timed;
    if (noWord.test(word)) continue;
    const times = { fromMs: Math.round(Number(from) * 1000), toMs: Math.round(Number(to) * 1000) };
    lines.at(-1)?.words.push({ ...times, confidence: Math.min(1, Number(confidence)) });
  }
  return lines.map(({ text, words }) => ({
    text,
    confidence:
      words.length === 0 ? null : words.reduce((sum, each) => sum + each.confidence, 0) / words.length,
    fromMs: words[0]?.fromMs ?? 0,
    toMs: words.at(-1)?.toMs ?? Number.MAX_SAFE_INTEGER,
  }));
}
