import { bestOf, type Load, measure } from '../measure.ts';
import { startPart } from '../part.ts';
import type { AllocationRun, ParserMessage, ParserRun, ParserWork } from '../parts/parser.ts';
import type { Bench, Figure } from '../report.ts';

const messages: readonly { readonly message: ParserMessage; readonly what: string }[] = [
  { message: 'REGISTER', what: 'REGISTER with digest' },
  { message: 'INVITE', what: 'INVITE with digest and SDP' },
  { message: '200', what: '200 with SDP' },
];
const works: readonly ParserWork[] = ['parse', 'parse-and-read', 'floor'];
const runs = 4;
const fullSeconds = 0.5;

/** The SIP parser alone, from datagram to message, compared with the minimum cost of splitting such a text. */
export const parser: Bench = {
  name: 'parser',
  async run({ profile, scale }) {
    const part = startPart('parser', { profile });
    const seconds = fullSeconds * scale;
    try {
      const sizes = await part.ask<readonly string[]>('sizes');
      const figures: Figure[] = [];
      const details: Record<string, unknown> = { sizes };
      for (const { message, what } of messages) {
        const rates: Partial<Record<ParserWork, number>> = {};
        const bytes: Partial<Record<ParserWork, number>> = {};
        for (const work of works) {
          const order = { work, message, seconds } satisfies ParserRun;
          const run = () => measure(part, () => part.ask<Load>('run', order));
          // The first run compiles.
          await run();
          const best = await bestOf(runs, run);
          rates[work] = best.perCore;
          bytes[work] = await part.ask<number>('allocation', { work, message } satisfies AllocationRun);
          details[`${message} ${work}`] = { ...best, bytes: bytes[work] };
        }
        const read = rates['parse-and-read']!;
        figures.push(
          {
            what: `${what}, parsed`,
            value: rates.parse!,
            unit: '/s per core',
            floor: { what: 'string and split lines', value: rates.floor! },
            note: `${(1e6 / rates.parse!).toFixed(2)} µs; with Via, From, To, Contact and CSeq read ${(1e6 / read).toFixed(2)} µs`,
          },
          {
            what: `${what}, allocated`,
            value: bytes.parse!,
            unit: 'bytes',
            floor: { what: 'string and split lines', value: bytes.floor! },
            note: `${sizes.find((size) => size.startsWith(`${message} `))?.replace(/.* (?=\d+ bytes)/, '')} on the wire; read ${Math.round(bytes['parse-and-read']!)} bytes`,
          },
        );
      }
      return { figures, details };
    } finally {
      await part.stop();
    }
  },
};
