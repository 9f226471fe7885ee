import { startPart } from '../part.ts';
import type { JudgedCall } from '../parts/machine-detection.ts';
import type { Bench, Figure } from '../report.ts';

/** How well answering machines and people are distinguished, on synthesised greetings. */
export const machineDetection: Bench = {
  name: 'machine-detection',
  async run({ profile }) {
    const part = startPart('machine-detection', { profile });
    try {
      const calls = await part.ask<readonly JudgedCall[]>('run');
      return { figures: figuresOf(calls), details: { wrong: calls.filter(isWrong), calls } };
    } finally {
      await part.stop();
    }
  },
};

const hasMachine = ({ kind }: JudgedCall) => kind === 'machine' || kind === 'brief-machine';
const isWrong = (call: JudgedCall) => call.isMachine !== hasMachine(call);
/** A beep that is reported more than 300 ms after its end, or before it, is of no use. */
const isBeepFound = ({ beepEndMs, beepMs }: JudgedCall) =>
  beepEndMs !== null && beepMs !== null && beepMs >= beepEndMs - 40 && beepMs <= beepEndMs + 300;

function figuresOf(calls: readonly JudgedCall[]): readonly Figure[] {
  const machines = calls.filter(hasMachine);
  const people = calls.filter((call) => !hasMachine(call));
  const known = machines.filter(({ isMachine }) => isMachine);
  const frames = calls.reduce((sum, { lengthMs }) => sum + lengthMs / 20, 0);
  const cpuMs = calls.reduce((sum, call) => sum + call.cpuMs, 0);
  return [
    { what: 'calls', value: calls.length, unit: '', budget: { atLeast: 200 } },
    {
      what: 'decided rightly',
      value: 100 * (1 - calls.filter(isWrong).length / calls.length),
      unit: '%',
      budget: { atLeast: 90 },
    },
    {
      what: 'false hang-ups: people taken for machines',
      value: (100 * people.filter(isWrong).length) / people.length,
      unit: '%',
      budget: { atMost: 3 },
    },
    {
      what: 'machines taken for people',
      value: (100 * machines.filter(isWrong).length) / machines.length,
      unit: '%',
      note: kindsOf(machines),
    },
    ...timesOf('a person', people),
    ...timesOf('a machine', machines),
    {
      what: 'beeps of known machines found within 300 ms',
      value: (100 * known.filter(isBeepFound).length) / known.length,
      unit: '%',
      budget: { atLeast: 95 },
    },
    { what: 'CPU of a watched leg', value: (1000 * cpuMs) / frames, unit: 'µs a frame' },
  ];
}

function kindsOf(calls: readonly JudgedCall[]): string {
  return [...Map.groupBy(calls, ({ kind }) => kind)]
    .map(([kind, all]) => `${kind} ${all.filter(isWrong).length} of ${all.length}`)
    .join(', ');
}

function timesOf(what: string, calls: readonly JudgedCall[]): readonly Figure[] {
  const times = calls.map(({ decidedMs }) => decidedMs).sort((one, other) => one - other);
  const at = (part: number) => times[Math.floor(part * (times.length - 1))] ?? 0;
  return [
    { what: `answer to decision, ${what}, median`, value: at(0.5), unit: 'ms', note: `95 %: ${at(0.95)} ms` },
  ];
}
