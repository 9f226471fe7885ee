import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type LegActions,
  type LegActionsEffect,
  type LegActionsInput,
  legActionsMachine,
  maxRecordingsOfLeg,
  newLegActions,
} from './leg-actions.ts';

const machine = legActionsMachine<string>();
type Input = LegActionsInput<string>;
type Effect = LegActionsEffect<string>;

function run(...inputs: Input[]): { state: LegActions; effects: readonly Effect[] } {
  let state = newLegActions('a');
  let effects: readonly Effect[] = [];
  for (const input of inputs) ({ state, effects } = machine.step(state, input, 0));
  return { state, effects };
}

const begin = (play: string, kind: 'play' | 'speech' = 'play', through = 'a'): Input => ({
  type: 'begin-play',
  kind,
  play: { play, through },
  order: `sound of ${play}`,
});
const end = (through: string, kind: 'play' | 'speech' = 'play'): Input => ({
  type: 'end-play',
  kind,
  through,
});
const record = (recording: string): Input => ({
  type: 'begin-recording',
  recording: { recording, url: `https://x/${recording}` },
});
const play = (name: string) => ({ do: 'play', play: name, order: `sound of ${name}` });
const stopPlay = (name: string) => ({ do: 'stop-play', play: name });
const stopRecording = (name: string) => ({ do: 'stop-recording', recording: name });
const reply = (answer: string) => ({ do: 'reply', reply: answer });

const over: Input = { type: 'leg-over' };
const table: readonly (readonly [string, readonly Input[], readonly object[]])[] = [
  ['a play begins', [begin('1')], [play('1'), reply('done')]],
  ['a new play replaces the former', [begin('1'), begin('2')], [stopPlay('1'), play('2'), reply('done')]],
  ['a text leaves a play alone', [begin('1'), begin('2', 'speech')], [play('2'), reply('done')]],
  [
    'a play that is over is not stopped again',
    [begin('1'), { type: 'play-over', play: '1' }, begin('2')],
    [play('2'), reply('done')],
  ],
  [
    'the end of the former does not touch the new one',
    [begin('1'), begin('2'), { type: 'play-over', play: '1' }, end('a')],
    [stopPlay('2'), reply('done')],
  ],
  [
    'a play is stopped through its own leg',
    [begin('1', 'play', 'b'), end('a')],
    [stopPlay('1'), reply('done')],
  ],
  [
    'a play is stopped through the partner that began it',
    [begin('1', 'play', 'b'), end('b')],
    [stopPlay('1'), reply('done')],
  ],
  ['a play is not stopped through a partner that did not begin it', [begin('1'), end('b')], [reply('none')]],
  ['a play is not stopped as a text', [begin('1'), end('a', 'speech')], [reply('none')]],
  ['nothing is stopped where nothing plays', [end('a')], [reply('none')]],
  ['a recording begins', [record('r')], [reply('done')]],
  ['recordings are bounded', [...'1234'].map(record).concat(record('5')), [reply('full')]],
  [
    'a recording that is over makes room',
    [...[...'1234'].map(record), { type: 'recording-over', recording: '2' }, record('5')],
    [reply('done')],
  ],
  [
    'all recordings are stopped',
    [record('1'), record('2'), { type: 'end-recordings', which: null }],
    [stopRecording('1'), stopRecording('2'), reply('done')],
  ],
  [
    'one is stopped by its name',
    [record('1'), record('2'), { type: 'end-recordings', which: '2' }],
    [stopRecording('2'), reply('done')],
  ],
  [
    'one is stopped by its URL',
    [record('1'), record('2'), { type: 'end-recordings', which: 'https://x/1' }],
    [stopRecording('1'), reply('done')],
  ],
  ['an unknown one is not stopped', [record('1'), { type: 'end-recordings', which: '2' }], [reply('none')]],
  [
    'none is stopped twice',
    [record('1'), { type: 'end-recordings', which: null }, { type: 'end-recordings', which: null }],
    [reply('none')],
  ],
  [
    'everything ends with the leg',
    [begin('1'), begin('2', 'speech'), record('3'), record('4'), over],
    [stopPlay('1'), stopPlay('2'), stopRecording('3'), stopRecording('4')],
  ],
  ['nothing begins after the end', [over, begin('1')], [reply('over')]],
  ['no recording begins after the end', [over, record('1')], [reply('over')]],
  ['what ends late is no matter', [begin('1'), over, { type: 'play-over', play: '1' }], []],
];
for (const [title, inputs, effects] of table) {
  test(title, () => assert.deepEqual(run(...inputs).effects, effects));
}

test('any order of inputs leaves one play of each kind, bounded recordings, one reply for each request, nothing after the end', () => {
  const name = fc.constantFrom(...'123456');
  const input: fc.Arbitrary<Input> = fc.oneof(
    fc
      .tuple(fc.uuid(), fc.constantFrom('play', 'speech'), fc.constantFrom('a', 'b'))
      .map(([id, kind, through]) => begin(id, kind as 'play', through)),
    fc
      .tuple(fc.constantFrom('a', 'b'), fc.constantFrom('play', 'speech'))
      .map(([through, kind]) => end(through, kind as 'play')),
    fc.uuid().map(record),
    name.map((recording): Input => ({ type: 'recording-over', recording })),
    fc.option(name).map((which): Input => ({ type: 'end-recordings', which })),
  );
  fc.assert(
    fc.property(fc.array(input, { maxLength: 40 }), (inputs) => {
      let state = newLegActions('a');
      const running = new Set<string>();
      for (const each of [...inputs, over]) {
        const before = state;
        const { state: after, effects } = machine.step(state, each, 0);
        state = after;
        for (const effect of effects) {
          if (effect.do === 'play') running.add(effect.play);
          if (effect.do === 'stop-play') assert.ok(running.delete(effect.play), 'stopped what did not play');
        }
        const replies = effects.filter((effect) => effect.do === 'reply').length;
        assert.equal(replies, /^(begin|end)-/.test(each.type) ? 1 : 0);
        assert.ok(running.size <= 2 && after.recordings.length <= maxRecordingsOfLeg);
        assert.equal(running.size, [after.play, after.speech].filter((one) => one !== null).length);
        if (before.phase === 'over') assert.equal(after, before);
      }
      assert.equal(running.size, 0);
      assert.deepEqual(state.recordings, []);
    }),
  );
});
