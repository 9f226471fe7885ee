import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlayEnd } from '@jackfield/ports';
import { newPlay, type Play, type PlayEffect, type PlayInput } from './play.ts';
import { playMachine } from './play-machine.ts';
import type { PlayItem, PlayOrder } from './play-order.ts';

const file = (url: string, loop?: number): PlayItem => ({
  kind: 'file',
  url,
  ...(loop === undefined ? {} : { loop }),
});
const beep: PlayItem = { kind: 'built-in', sound: { kind: 'beep', count: 1 } };
const silence = (durationMs: number): PlayItem => ({ kind: 'silence', durationMs });
const order = (items: readonly PlayItem[], changes: Partial<PlayOrder> = {}): PlayOrder => ({
  play: 'p',
  owner: { kind: 'test', id: 'o' },
  to: ['leg'],
  items,
  loop: 1,
  ...changes,
});

/** A play on a clock of its own; `take` returns the effects of an input in short. */
function driver(ordered: PlayOrder) {
  let play: Play = newPlay(ordered);
  let now = 1_000;
  const take = (input: PlayInput, afterMs = 0): readonly string[] => {
    now += afterMs;
    const step = playMachine.step(play, input, now);
    play = step.state;
    return step.effects.map((effect) => inShort(effect, now));
  };
  return {
    take,
    begin: () => take({ type: 'ordered' }),
    loaded: (load: number) =>
      take({ type: 'item-loaded', load, sound: { kind: 'clip', name: `clip-${load}` } }),
    failed: (load: number, afterMs = 0) =>
      take({ type: 'item-failed', load, code: 'silent', sentence: `no ${load}` }, afterMs),
    ended: (sound: number, afterMs: number, because: PlayEnd = 'finished') =>
      take({ type: 'sound-ended', sound, because }, afterMs),
    fired: (key: string, afterMs = 0) => take({ type: 'timer-fired', key }, afterMs),
    get play() {
      return play;
    },
  };
}

function inShort(effect: PlayEffect, now: number): string {
  switch (effect.do) {
    case 'load':
      return `load ${effect.load}`;
    case 'unload':
      return `unload ${effect.load}`;
    case 'sound': {
      const what = effect.sound.kind === 'clip' ? effect.sound.name : effect.sound.kind;
      const behind = effect.behind === undefined ? '' : ` behind ${effect.behind}`;
      return `sound ${effect.number} ${what}${effect.loop ? ' for ever' : ''}${behind}`;
    }
    case 'stop-sound':
      return `stop ${effect.number}`;
    case 'notify': {
      if (effect.notice.type === 'play-begun') return 'begun';
      const items = effect.notice.problems.map((problem) => problem.item).join();
      return `over ${effect.notice.because}${items === '' ? '' : ` without ${items}`}`;
    }
    case 'start-timer':
      return `${effect.key} in ${effect.at - now}`;
    case 'emit':
      return `emit ${effect.event.type} ${effect.event.resource}`;
    default:
      return effect.do;
  }
}

test('the next item is loaded and given to the engine while an item is heard, and an item is unloaded after it', () => {
  const it = driver(order([file('a'), file('b'), file('c')]));
  assert.deepEqual(it.begin(), ['open-mix', 'load 1', 'load 2']);
  assert.deepEqual(it.loaded(2), [], 'the second waits for the first');
  assert.deepEqual(it.loaded(1), ['sound 3 clip-1', 'begun', 'sound 4 clip-2 behind 3']);
  assert.deepEqual(it.ended(3, 1_000), ['load 5', 'unload 1']);
  assert.deepEqual(it.ended(4, 1_000), ['unload 2']);
  assert.deepEqual(it.loaded(5), ['sound 6 clip-5']);
  assert.deepEqual(it.ended(6, 1_000), ['close-mix', 'unload 5', 'over finished']);
});

test('sounds whose ends are reported late and together are each followed by the next one', () => {
  const it = driver(order([beep, file('a'), beep]));
  assert.deepEqual(it.begin(), ['open-mix', 'load 1', 'sound 2 beep', 'begun']);
  assert.deepEqual(it.loaded(1), ['sound 3 clip-1 behind 2']);
  assert.deepEqual(it.ended(2, 3_000), ['sound 4 beep behind 3']);
  assert.deepEqual(it.ended(3, 0), ['unload 1']);
  assert.deepEqual(it.ended(4, 0), ['close-mix', 'over finished']);
});

test('a sound that the engine refuses while another one is heard is ordered again in its turn', () => {
  const it = driver(order([beep, beep]));
  assert.deepEqual(it.begin(), ['open-mix', 'sound 1 beep', 'begun', 'sound 2 beep behind 1']);
  assert.deepEqual(it.ended(2, 10, 'refused'), []);
  assert.deepEqual(it.ended(1, 490), ['sound 3 beep']);
  assert.deepEqual(it.ended(3, 0, 'refused'), ['close-mix', 'over finished']);
});

test('an order without items is over at once', () => {
  assert.deepEqual(driver(order([])).begin(), ['open-mix', 'close-mix', 'over finished']);
});

test('an item is repeated before the next one, and the order as often as its loop', () => {
  const it = driver(order([file('a', 2), beep], { loop: 2 }));
  assert.deepEqual(it.begin(), ['open-mix', 'load 1']);
  assert.deepEqual(it.loaded(1), ['sound 2 clip-1', 'begun', 'sound 3 clip-1 behind 2']);
  assert.deepEqual(it.ended(2, 1_000), ['sound 4 beep behind 3']);
  assert.deepEqual(it.ended(3, 1_000), ['sound 5 clip-1 behind 4'], 'the file is the next one again');
  assert.deepEqual(it.ended(4, 500), ['sound 6 clip-1 behind 5']);
  assert.deepEqual(it.ended(5, 1_000), ['sound 7 beep behind 6']);
  assert.deepEqual(it.ended(6, 1_000), ['unload 1']);
  assert.deepEqual(it.ended(7, 500), ['close-mix', 'over finished']);
});

test('an endless item is repeated by the media engine, and ends only with its listeners', () => {
  for (const ordered of [order([file('a', 0), beep]), order([file('a')], { loop: 0 })]) {
    const it = driver(ordered);
    assert.deepEqual(it.begin(), ['open-mix', 'watch-listeners', 'load 1']);
    assert.deepEqual(it.loaded(1), ['sound 2 clip-1 for ever', 'begun']);
    assert.deepEqual(it.ended(2, 60_000), ['close-mix', 'unload 1', 'over finished']);
  }
});

test('a play whose sound has lost its listeners is over', () => {
  const it = driver(order([beep, beep], { loop: 5 }));
  assert.deepEqual(it.begin(), ['open-mix', 'sound 1 beep', 'begun', 'sound 2 beep behind 1']);
  assert.deepEqual(it.ended(1, 500), ['sound 3 beep behind 2']);
  assert.deepEqual(it.ended(2, 500, 'left'), ['close-mix', 'over finished']);
});

test('an endless play is over when its listeners are gone, in every phase', () => {
  const gone = { type: 'listeners-gone' } as const;
  const loading = driver(order([file('a')], { loop: 0 }));
  assert.deepEqual(loading.begin(), ['open-mix', 'watch-listeners', 'load 1']);
  assert.deepEqual(loading.take(gone), ['close-mix', 'unload 1', 'over finished']);
  const silent = driver(order([silence(5_000), beep], { loop: 0 }));
  assert.deepEqual(silent.begin(), ['open-mix', 'watch-listeners', 'sound 1 tone', 'sound 2 beep behind 1']);
  assert.deepEqual(silent.take(gone), ['stop 1', 'close-mix', 'over finished']);
  const sounding = driver(order([beep, beep], { loop: 0 }));
  sounding.begin();
  assert.deepEqual(sounding.take(gone), ['stop 1', 'close-mix', 'over finished']);
  assert.deepEqual(sounding.take(gone), []);
});

test('a late outcome of a former sound or load changes nothing', () => {
  const it = driver(order([beep, file('a'), beep]));
  it.begin();
  assert.deepEqual(it.ended(9, 500), []);
  assert.deepEqual(it.loaded(9), []);
  assert.deepEqual(it.failed(9), []);
  assert.deepEqual(it.fired('silence'), []);
  assert.deepEqual(it.take({ type: 'stopped' }), ['stop 2', 'close-mix', 'unload 1', 'over stopped']);
  for (const late of [it.begin(), it.loaded(1), it.ended(2, 500), it.fired('length')])
    assert.deepEqual(late, []);
  assert.deepEqual(it.take({ type: 'stopped' }), []);
});

test('a silence is played as a sound, and sends no play-begun', () => {
  const it = driver(order([silence(2_000), file('a')]));
  assert.deepEqual(it.begin(), ['open-mix', 'load 1', 'sound 2 tone']);
  assert.deepEqual(it.loaded(1), ['sound 3 clip-1 behind 2']);
  assert.deepEqual(it.ended(2, 2_000), ['begun']);
});

test('lengthMs ends a play within an item, counted from its first item on', () => {
  const it = driver(order([file('a')], { loop: 0, lengthMs: 5_000 }));
  assert.deepEqual(it.begin(), ['open-mix', 'watch-listeners', 'load 1']);
  assert.deepEqual(it.loaded(1), ['length in 5000', 'sound 2 clip-1 for ever', 'begun']);
  assert.deepEqual(it.fired('length', 5_000), ['stop 2', 'close-mix', 'unload 1', 'over finished']);
  const silent = driver(order([silence(9_000)], { lengthMs: 5_000 }));
  assert.deepEqual(silent.begin(), ['open-mix', 'length in 5000', 'sound 1 tone']);
  assert.deepEqual(silent.fired('length', 5_000), ['stop 1', 'close-mix', 'over finished']);
});

test('a failed item is skipped, and reported in play-over and in an event', () => {
  const it = driver(order([file('a'), beep, file('c')], { account: 'A', mainAccount: 'M' }));
  it.begin();
  assert.deepEqual(it.failed(1), ['emit sound.failed call/leg', 'load 2', 'sound 3 beep', 'begun']);
  assert.deepEqual(it.failed(2), ['emit sound.failed call/leg']);
  assert.deepEqual(it.ended(3, 500), ['close-mix', 'over finished without 0,2']);
  const unnamed = driver(order([file('a')]));
  unnamed.begin();
  assert.deepEqual(unnamed.failed(1), ['close-mix', 'over finished without 0']);
});

test('an item that breaks off is heard as far as it came, reported once, and followed by the next one', () => {
  const it = driver(order([file('a'), beep], { account: 'A', mainAccount: 'M' }));
  it.begin();
  assert.deepEqual(it.loaded(1), ['sound 2 clip-1', 'begun', 'sound 3 beep behind 2']);
  const broken = { type: 'item-broke-off', load: 1, code: 'speech-broke-off', sentence: 'gone' } as const;
  assert.deepEqual(it.take(broken, 300), ['emit sound.broken-off call/leg']);
  assert.equal(it.play.phase, 'sounding', 'it goes on');
  assert.deepEqual(it.take(broken), []);
  assert.deepEqual(it.ended(2, 200), ['unload 1']);
  assert.deepEqual(it.take(broken), [], 'the item is over');
  assert.deepEqual(it.ended(3, 500), ['close-mix', 'over finished without 0']);
});

test('the event names the call where one leg hears the play, and the play where several do', () => {
  const event = (to: readonly string[]) => {
    const it = driver(order([file('a')], { to, account: 'A', mainAccount: 'M' }));
    it.begin();
    return it.failed(1)[0];
  };
  assert.equal(event(['x']), 'emit sound.failed call/x');
  assert.equal(event(['x', 'y']), 'emit sound.failed play/p');
});

test('an event of a part has the name and the legs of the whole, and repeats no event of another part', () => {
  const partOf = { play: 'whole', to: ['leg', 'other'] };
  const owners = { account: 'A', mainAccount: 'M', partOf };
  const it = driver(order([file('a'), file('b')], owners));
  it.begin();
  assert.deepEqual(it.failed(1), ['emit sound.failed play/whole']);
  const failed: PlayInput = {
    type: 'item-failed',
    load: 2,
    code: 'silent',
    sentence: 'no 2',
    isReported: true,
  };
  assert.deepEqual(it.take(failed), ['close-mix', 'over finished without 0,1']);
  const unfolding = driver(order([{ kind: 'source', url: 'a' }], owners));
  unfolding.begin();
  const document = { items: [beep], warnings: ['<Record> is passed over'] };
  const effects = unfolding.take({ type: 'item-unfolded', load: 1, document, isReported: true });
  assert.deepEqual(effects, ['sound 2 beep', 'begun']);
});

test('a round without a sound is not repeated for ever', () => {
  const broken = driver(order([file('a'), silence(10), file('b')], { loop: 0 }));
  broken.begin();
  assert.deepEqual(broken.failed(1, 50), ['load 2', 'sound 3 tone']);
  assert.deepEqual(broken.ended(3, 10), []);
  assert.deepEqual(broken.failed(2, 50), ['close-mix', 'over finished without 0,2']);
  assert.deepEqual(driver(order([silence(0)], { loop: 0 })).begin(), [
    'open-mix',
    'watch-listeners',
    'close-mix',
    'over finished',
  ]);
  const quiet = driver(order([silence(10)], { loop: 0 }));
  quiet.begin();
  assert.deepEqual(quiet.ended(1, 10), ['sound 2 tone'], 'a silence without end is what was ordered');
});

test('a failed item beside sounding items is loaded again after 10 s, not in each short round', () => {
  const it = driver(order([file('a'), beep], { loop: 50 }));
  assert.deepEqual(it.begin(), ['open-mix', 'load 1']);
  assert.deepEqual(it.failed(1), ['sound 2 beep', 'begun']);
  let sound = 2;
  for (let round = 0; round < 19; round++, sound++) {
    assert.deepEqual(it.ended(sound, 500), [`sound ${sound + 1} beep`], `round ${round}`);
  }
  assert.deepEqual(it.ended(sound, 500), [`load ${sound + 1}`], 'after ten seconds');
  assert.deepEqual(it.failed(sound + 1), [`sound ${sound + 2} beep`], 'its problem was reported already');
  assert.equal(it.play.problems.length, 1);
});

test('a stop during the load of the first item unloads it', () => {
  const it = driver(order([file('a'), file('b')]));
  it.begin();
  assert.deepEqual(it.take({ type: 'stopped' }), ['close-mix', 'unload 1', 'unload 2', 'over stopped']);
});

test('a document replaces its source: its items are loaded and heard, round after round', () => {
  const it = driver(order([{ kind: 'source', url: 'music' }], { loop: 0 }));
  assert.deepEqual(it.begin(), ['open-mix', 'watch-listeners', 'load 1']);
  const document = { items: [file('a'), silence(500)], warnings: [] };
  assert.deepEqual(it.take({ type: 'item-unfolded', load: 1, document }), ['load 2']);
  assert.deepEqual(it.loaded(2), ['sound 3 clip-2', 'begun', 'sound 4 tone behind 3']);
  assert.deepEqual(it.ended(3, 1_000), []);
  assert.deepEqual(it.ended(4, 500), ['sound 5 clip-2', 'sound 6 tone behind 5']);
  assert.deepEqual(it.take({ type: 'stopped' }), ['stop 5', 'close-mix', 'unload 2', 'over stopped']);
});

test('a source that is a sound is heard as a file, and a single one is repeated without a gap', () => {
  const it = driver(order([{ kind: 'source', url: 'music' }], { loop: 0 }));
  it.begin();
  assert.deepEqual(it.loaded(1), ['sound 2 clip-1 for ever', 'begun']);
});

test('in an order with an end, an endless prompt of a document is heard once', () => {
  const it = driver(order([{ kind: 'source', url: 'welcome' }]));
  it.begin();
  it.take({ type: 'item-unfolded', load: 1, document: { items: [file('a', 0), beep], warnings: [] } });
  assert.deepEqual(it.loaded(2), ['sound 3 clip-2', 'begun', 'sound 4 beep behind 3']);
  assert.deepEqual(it.ended(3, 1_000), ['unload 2']);
});

test('an empty document ends the play; a document that arrives after the end changes nothing', () => {
  const it = driver(order([{ kind: 'source', url: 'music' }], { loop: 0 }));
  it.begin();
  const empty = { type: 'item-unfolded', load: 1, document: { items: [], warnings: [] } } as const;
  assert.deepEqual(it.take(empty), ['close-mix', 'over finished']);
  assert.deepEqual(it.take(empty), []);
});

test('each skipped part of a document is reported in an event', () => {
  const it = driver(order([{ kind: 'source', url: 'music' }], { account: 'A', mainAccount: 'M' }));
  it.begin();
  const document = { items: [beep], warnings: ['<Dial> is passed over'] };
  assert.deepEqual(it.take({ type: 'item-unfolded', load: 1, document })[0], 'emit sound.warning call/leg');
});
