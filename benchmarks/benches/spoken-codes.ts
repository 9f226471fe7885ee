import { startPart } from '../part.ts';
import type { JudgedCodec, JudgedCodes } from '../parts/spoken-codes.ts';
import type { Bench, BenchResult, Figure } from '../report.ts';
import { wordError } from '../spoken-codes/judge.ts';

const count = 100;
/** A call to a telephone, and one to a phone with wideband audio. */
const codecs = [
  { codec: 'PCMU', name: 'G.711', mostErrors: 20 },
  { codec: 'G722', name: 'G.722', mostErrors: 10 },
] as const satisfies readonly { codec: JudgedCodec; name: string; mostErrors: number }[];

/** How well a recogniser that others wrote understands the codes of Verify, in the one language that it has. */
export const spokenCodes: Bench = {
  name: 'spoken-codes',
  async run({ profile, scale }): Promise<BenchResult> {
    const part = startPart('spoken-codes', { profile });
    try {
      const figures: Figure[] = [];
      const details: Record<string, unknown> = {};
      for (const { codec, name, mostErrors } of codecs) {
        const order = { codec, count: Math.ceil(count * scale) };
        const judged = await part.ask<JudgedCodes>('judge', order);
        const wrong = judged.codes.filter(({ errors }) => errors > 0);
        figures.push(
          {
            what: `word error of ${judged.codes.length} spoken codes over ${name}, in English`,
            value: wordError(judged.codes),
            unit: '%',
            budget: { atMost: mostErrors },
            note: `${judged.codes.length - wrong.length} codes understood wholly`,
          },
          {
            what: `pocketsphinx with a grammar of digits, over ${name}`,
            value: (60 * judged.cpuMs) / judged.audioMs,
            unit: 's of CPU a minute',
          },
        );
        details[codec] = wrong;
      }
      return { figures, details };
    } finally {
      await part.stop();
    }
  },
};
