import { startPart } from '../part.ts';
import type { JudgedCode } from '../parts/spoken-codes.ts';
import type { Bench } from '../report.ts';
import { wordError } from '../spoken-codes/judge.ts';

const codes = 100;

/** How well a recogniser that others wrote understands the codes of Verify, and what recognition costs. */
export const spokenCodes: Bench = {
  name: 'spoken-codes',
  async run({ profile, scale }) {
    const part = startPart('spoken-codes', { profile });
    try {
      const cpuMs = await part.ask<number>('cpuOfSecond');
      const judged = await part.ask<readonly JudgedCode[]>('judge', Math.ceil(codes * scale));
      const sum = (value: (code: JudgedCode) => number) => judged.reduce((all, each) => all + value(each), 0);
      const wrong = judged.filter(({ errors }) => errors > 0);
      return {
        figures: [
          { what: 'spoken codes of six digits, in English', value: judged.length, unit: '' },
          { what: 'word error', value: wordError(judged), unit: '%', budget: { atMost: 10 } },
          { what: 'codes understood wholly', value: 100 * (1 - wrong.length / judged.length), unit: '%' },
          {
            what: 'pocketsphinx, for a second of speech',
            value: (1000 * sum(({ answerMs }) => answerMs)) / sum(({ audioMs }) => audioMs),
            unit: 'ms',
            note: 'with a grammar of digits',
          },
          { what: 'CPU of the platform, for a second of a caller at 8 kHz', value: cpuMs, unit: 'ms' },
        ],
        details: { wrong },
      };
    } finally {
      await part.stop();
    }
  },
};
