import { startPart } from '../part.ts';
import type { Cost, EngineKind } from '../parts/speech-cost.ts';
import type { Bench, Figure } from '../report.ts';

const unit = 's of CPU a minute';
const seconds = (ms: number) => ms / 1000;

const engines: readonly { kind: EngineKind; what: string; floor: string }[] = [
  { kind: 'http', what: 'over HTTP', floor: 'fetch of Node with the same bytes' },
  { kind: 'websocket', what: 'over a WebSocket', floor: 'ws with the same bytes' },
  { kind: 'program', what: 'to a program', floor: 'spawn of Node with the same bytes' },
];

/** What a minute of speech costs that is recognised, transcribed or spoken by an engine of the operator. */
export const speechCost: Bench = {
  name: 'speech-cost',
  async run({ profile }) {
    const part = startPart('speech-cost', { profile });
    const others = startPart('speech-engines', {});
    try {
      const at = await others.ask<string>('start');
      const figures: Figure[] = [];
      const add = (what: string, { cpuMs, floorMs }: Cost, floor: string) =>
        figures.push({ what, value: seconds(cpuMs), unit, floor: { what: floor, value: seconds(floorMs) } });
      for (const { kind, what, floor } of engines)
        add(`a caller is recognised ${what}`, await part.ask<Cost>('recognition', { kind, at }), floor);
      add(
        'a channel of a recording is transcribed',
        await part.ask<Cost>('transcript'),
        'conversion to 16 kHz alone',
      );
      add(
        'speech of an engine over HTTP',
        await part.ask<Cost>('httpVoice', at),
        'fetch of Node with the same bytes',
      );
      const espeak = await part.ask<number>('embeddedVoice');
      figures.push({ what: 'speech of the embedded engine, in its process', value: seconds(espeak), unit });
      const pocketsphinx = await part.ask<number>('pocketsphinx');
      figures.push({
        what: 'pocketsphinx with its model of all English, in its processes',
        value: seconds(pocketsphinx),
        unit,
      });
      return { figures, details: {} };
    } finally {
      await part.stop();
      await others.stop();
    }
  },
};
