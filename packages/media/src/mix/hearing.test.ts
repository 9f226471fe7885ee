import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSamplesPlay, type Play } from '../playout/play.ts';
import { createHearing } from './hearing.ts';
import type { Hearing, LegHearing } from './hearing-interface.ts';
import type { Source } from './source.ts';
import { createTurn } from './turn.ts';

/** A hearing table with legs by name; sources are named by the leg or the play. */
function createBench() {
  let ids = 0;
  const names = new Map<Source, string>();
  const entries = new Map<string, LegHearing>();
  const ended: string[] = [];
  const streamSources = new Map<string, { source: Source }[]>();
  const named = <T extends Source>(name: string, made: T): T => {
    names.set(made, name);
    return made;
  };
  const hearing: Hearing = createHearing({
    codecs: 1,
    playEnded: (mix, key) => ended.push(`${mix}/${key}`),
    joined() {},
    streamSourcesOf: (leg) => streamSources.get(leg),
  });
  return {
    hearing,
    ended,
    streamSources,
    source: (name: string, frameSamples = 160): Source =>
      named(name, { id: ++ids, frame: new Int16Array(frameSamples), active: true }),
    open(...legs: string[]) {
      for (const leg of legs) entries.set(leg, hearing.openLeg(leg, this.source(leg), createTurn(0)));
    },
    table(mix: string, edges: Readonly<Record<string, readonly string[]>>): boolean {
      return hearing.setHearing(
        mix,
        Object.entries(edges).map(([leg, hears]) => ({ leg, hears })),
      );
    },
    play(mix: string, key: string, to: readonly string[], { alone = false, frames = 3 } = {}): Play {
      const play = named(key, createSamplesPlay(++ids, 160, new Int16Array(frames * 160).fill(500), false));
      hearing.play(mix, key, to, play, alone, { sound: { kind: 'beep', count: 1 }, loop: false });
      return play;
    },
    entry: (leg: string): LegHearing => entries.get(leg)!,
    /** What each leg hears after the changes have been applied. */
    heard(...legs: string[]): Record<string, string> {
      hearing.settle();
      assert.equal(hearing.countLeaks(), 0);
      const pairs = legs.map((leg) => {
        const seat = entries.get(leg)!.seat;
        const sources = (seat?.audience.sources ?? []).filter(
          (each) => !(seat!.own !== undefined && each === entries.get(leg)!.source),
        );
        return [
          leg,
          sources
            .map((each) => names.get(each))
            .sort()
            .join(' '),
        ];
      });
      return Object.fromEntries(pairs);
    },
  };
}

const all = { a: ['b', 'c'], b: ['a', 'c'], c: ['a', 'b'] };

describe('edges of a mix', () => {
  it('connect members as the table says, each direction separately', () => {
    const bench = createBench();
    bench.open('a', 'b', 'c');
    bench.hearing.openMix('m');
    bench.table('m', { a: ['b'], b: ['c', 'a'], c: [] });
    assert.deepEqual(bench.heard('a', 'b', 'c'), { a: 'b', b: 'a c', c: '' });
  });

  for (const [rule, edges, expected] of [
    ['to a leg that is no member is none', { a: ['b', 'x'], b: ['a'] }, { a: 'b', b: 'a', x: '' }],
    ['to itself is an echo', { a: ['a'], b: [] }, { a: 'a', b: '', x: '' }],
    ['named twice is one', { a: ['b', 'b'], b: [] }, { a: 'b', b: '', x: '' }],
    ['to a name that no leg has is none', { a: ['ghost', 'b'], b: [] }, { a: 'b', b: '', x: '' }],
  ] as const) {
    it(`an edge ${rule}`, () => {
      const bench = createBench();
      bench.open('a', 'b', 'x');
      bench.hearing.openMix('m');
      bench.table('m', edges);
      assert.deepEqual(bench.heard('a', 'b', 'x'), expected);
    });
  }

  it('a new table replaces the one before: a member that it leaves out hears and says nothing', () => {
    const bench = createBench();
    bench.open('a', 'b', 'c');
    bench.hearing.openMix('m');
    bench.table('m', all);
    bench.table('m', { a: ['b', 'c'], b: ['a', 'c'] });
    assert.deepEqual(bench.heard('a', 'b', 'c'), { a: 'b', b: 'a', c: '' });
  });

  it('a leg that another mix names leaves the first one', () => {
    const bench = createBench();
    bench.open('a', 'b', 'c');
    for (const mix of ['m', 'n']) bench.hearing.openMix(mix);
    bench.table('m', all);
    bench.table('n', { c: ['a'], x: ['c'] });
    assert.deepEqual(bench.heard('a', 'b', 'c'), { a: 'b', b: 'a', c: '' });
    assert.deepEqual(
      bench.hearing.saveMix('m')!.members.map(({ leg }) => leg),
      ['a', 'b'],
    );
  });

  it('a leg may be named before it opens, and hears and is heard from its opening on', () => {
    const bench = createBench();
    bench.hearing.openMix('m');
    bench.open('a');
    bench.table('m', { a: ['b'], b: ['a'] });
    assert.deepEqual(bench.heard('a'), { a: '' });
    bench.open('b');
    assert.deepEqual(bench.heard('a', 'b'), { a: 'b', b: 'a' });
  });

  it('a closed leg is no longer a member, also when a leg of its name opens again', () => {
    const bench = createBench();
    bench.open('a', 'b', 'c');
    bench.hearing.openMix('m');
    bench.table('m', all);
    bench.hearing.closeLeg('c');
    bench.open('c');
    assert.deepEqual(bench.heard('a', 'b', 'c'), { a: 'b', b: 'a', c: '' });
  });

  it('a closed mix separates its members, and its name may open again without them', () => {
    const bench = createBench();
    bench.open('a', 'b');
    bench.hearing.openMix('m');
    bench.table('m', { a: ['b'], b: ['a'] });
    assert.equal(bench.hearing.openMix('m'), false);
    assert.equal(bench.hearing.closeMix('m'), true);
    assert.equal(bench.hearing.closeMix('m'), false);
    assert.deepEqual(bench.heard('a', 'b'), { a: '', b: '' });
    assert.equal(bench.hearing.openMix('m'), true);
    assert.deepEqual(bench.hearing.saveMix('m'), { members: [], plays: [] });
  });

  it('orders for a mix that does not exist are refused', () => {
    const { hearing, table, source } = createBench();
    assert.equal(table('x', {}), false);
    assert.equal(hearing.stopPlay('x', 'k'), false);
    assert.equal(hearing.saveMix('x'), undefined);
    assert.equal(hearing.countPlays('x'), 0);
    const play = { ...source('p'), frames: 0, isAtEnd: false, seek() {}, advance: () => false };
    assert.equal(hearing.play('x', 'k', [], play, false, { sound: { kind: 'ringback' }, loop: true }), false);
  });

  it('changes take effect together in settle: until then each leg hears what it heard', () => {
    const bench = createBench();
    bench.open('a', 'b', 'c');
    bench.hearing.openMix('m');
    bench.table('m', all);
    bench.heard('a');
    const { seat } = bench.entry('a');
    bench.table('m', {});
    assert.equal(bench.entry('a').seat, seat);
    assert.equal(bench.entry('a').isSettled, false);
    assert.equal(bench.hearing.countLeaks(), 0, 'a change that waits is no leak');
    assert.equal(bench.hearing.isIdle(), false);
    bench.hearing.settle();
    assert.equal(bench.entry('a').seat, undefined);
    assert.equal(bench.hearing.isIdle(), true);
  });
});

describe('partners, levels and comfort noise', () => {
  for (const [rule, edges, partner, isLevelled] of [
    ['two that hear each other are partners', { a: ['b'], b: ['a'] }, 'b', false],
    ['two of whom one hears nothing: the other is still a partner', { a: ['b'], b: [] }, 'b', false],
    ['a leg that also hears itself has no partner', { a: ['a', 'b'], b: ['a'] }, undefined, false],
    ['a leg that hears only itself has no partner', { a: ['a'], b: ['a'] }, undefined, false],
    ['three have no partners and are brought to one level', { a: ['b'], b: ['a'], c: [] }, undefined, true],
    ['one alone has no partner', { a: [] }, undefined, false],
    ['a partner must be open', { a: ['ghost'], ghost: ['a'] }, undefined, false],
  ] as const) {
    it(rule, () => {
      const bench = createBench();
      bench.open('a', 'b', 'c');
      bench.hearing.openMix('m');
      bench.table('m', edges);
      bench.hearing.settle();
      const { partner: found, isLevelled: levelled, isComforted } = bench.entry('a');
      assert.deepEqual([found, levelled, isComforted], [partner, isLevelled, isLevelled]);
    });
  }

  it('a play or a stream source to a leg ends its partnership, and a play its comfort noise', () => {
    const bench = createBench();
    bench.open('a', 'b', 'c');
    bench.hearing.openMix('m');
    bench.table('m', { a: ['b'], b: ['a'] });
    bench.streamSources.set('a', [{ source: bench.source('feed') }]);
    assert.deepEqual(bench.heard('a'), { a: 'b feed' });
    assert.equal(bench.entry('a').partner, undefined);
    bench.streamSources.delete('a');
    bench.hearing.refresh('a');
    bench.hearing.settle();
    assert.equal(bench.entry('a').partner, 'b');
    bench.play('m', 'k', ['a']);
    bench.hearing.settle();
    assert.equal(bench.entry('a').partner, undefined);
    bench.table('m', all);
    bench.hearing.settle();
    assert.deepEqual(
      ['a', 'b'].map((leg) => bench.entry(leg).isComforted),
      [false, true],
    );
  });

  it('a changed rate replaces the source for all that hear the leg', () => {
    const bench = createBench();
    bench.open('a', 'b');
    bench.hearing.openMix('m');
    bench.table('m', { a: ['b'], b: ['a'] });
    bench.heard('a');
    bench.hearing.changeRate('b', bench.source('wide b', 320), 320);
    assert.deepEqual(bench.heard('a', 'b'), { a: 'wide b', b: 'a' });
    assert.equal(bench.entry('b').seat!.audience.frameSamples, 320);
    assert.equal(bench.entry('a').seat!.audience.frameSamples, 160);
    bench.hearing.changeRate('ghost', bench.source('x'), 160);
    assert.equal(bench.hearing.isIdle(), true);
  });
});

describe('plays', () => {
  function playing() {
    const bench = createBench();
    bench.open('a', 'b', 'c');
    bench.hearing.openMix('m');
    bench.table('m', { a: ['b'], b: ['a'], c: ['a'] });
    return bench;
  }
  const advance = (bench: ReturnType<typeof createBench>, from: number, steps: number): void => {
    bench.hearing.settle();
    for (let step = from; step < from + steps; step++) bench.hearing.advancePlays(step, 1);
  };

  it('are heard besides the members, by those whom they name alone', () => {
    const bench = playing();
    bench.play('m', 'k', ['a', 'c']);
    assert.deepEqual(bench.heard('a', 'b', 'c'), { a: 'b k', b: 'a', c: 'a k' });
  });

  it('that are alone silence the members and other plays; the newest of them counts', () => {
    const bench = playing();
    bench.play('m', 'music', ['a'], { alone: true });
    bench.play('m', 'beep', ['a']);
    assert.deepEqual(bench.heard('a'), { a: 'music' });
    bench.play('m', 'speech', ['a'], { alone: true });
    assert.deepEqual(bench.heard('a'), { a: 'speech' });
    assert.equal(bench.hearing.stopPlay('m', 'speech'), true);
    assert.deepEqual(bench.heard('a'), { a: 'music' });
    bench.hearing.stopPlay('m', 'music');
    assert.deepEqual(bench.heard('a'), { a: 'b beep' });
  });

  it('of the same key replace each other without an end', () => {
    const bench = playing();
    bench.play('m', 'k', ['a']);
    bench.play('m', 'k', ['b']);
    assert.deepEqual(bench.heard('a', 'b'), { a: 'b', b: 'a k' });
    assert.equal(bench.hearing.countPlays('m'), 1);
    assert.deepEqual(bench.ended, []);
  });

  it('end by themselves once, when their sound is over', () => {
    const bench = playing();
    bench.play('m', 'k', ['a'], { frames: 3 });
    advance(bench, 0, 3);
    assert.deepEqual(bench.ended, []);
    advance(bench, 3, 5);
    assert.deepEqual(bench.ended, ['m/k']);
    assert.deepEqual(bench.heard('a'), { a: 'b' });
    assert.equal(bench.hearing.stopPlay('m', 'k'), false);
    assert.deepEqual(bench.hearing.census(), { mixes: 1, plays: 0, audiences: 2 });
  });

  it('that are stopped report no end', () => {
    const bench = playing();
    bench.play('m', 'k', ['a']);
    bench.hearing.stopPlay('m', 'k');
    bench.play('m', 'j', ['a']);
    bench.hearing.closeMix('m');
    advance(bench, 0, 10);
    assert.deepEqual(bench.ended, []);
    assert.deepEqual(bench.heard('a'), { a: '' });
  });

  it('end with their last listener, unless it goes on in another engine', () => {
    for (const goesOn of [false, true]) {
      const bench = playing();
      bench.play('m', 'k', ['a', 'b']);
      bench.hearing.closeLeg('a', goesOn);
      assert.deepEqual(bench.ended, []);
      bench.hearing.closeLeg('b', goesOn);
      assert.deepEqual(bench.ended, goesOn ? [] : ['m/k']);
    }
  });

  it('a leg that moves to another mix hears no play of the first one', () => {
    const bench = playing();
    bench.hearing.openMix('n');
    bench.play('m', 'k', ['a', 'b']);
    bench.table('n', { a: [] });
    assert.deepEqual(bench.heard('a', 'b'), { a: '', b: 'k' });
  });

  it('reach a leg that is in no mix, with the turn of the mix of the play', () => {
    const bench = createBench();
    bench.open('a');
    bench.hearing.openMix('m');
    bench.play('m', 'k', ['a']);
    assert.deepEqual(bench.heard('a'), { a: 'k' });
    assert.notEqual(bench.entry('a').mix, undefined);
    bench.hearing.stopPlay('m', 'k');
    bench.hearing.settle();
    assert.equal(bench.entry('a').mix, undefined);
  });

  it('wait for a listener whose turn is not reached or whose frames are relayed, and then play from their start', () => {
    const bench = playing();
    const play = bench.play('m', 'k', ['a']);
    bench.entry('a').turn.dueStep = 5;
    advance(bench, 0, 5);
    assert.equal(play.frames, 0);
    bench.entry('a').turn.relayedUnits = 160;
    advance(bench, 5, 1);
    assert.equal(play.frames, 0);
    bench.entry('a').turn.relayedUnits = 0;
    advance(bench, 6, 1);
    assert.equal(play.frames, 1);
    // Once begun it goes on.
    bench.entry('a').turn.relayedUnits = 160;
    advance(bench, 7, 1);
    assert.equal(play.frames, 2);
  });

  it('advance in the phase of their mix, from its due step on', () => {
    const bench = playing();
    const play = bench.play('m', 'k', ['c'], { frames: 9 });
    bench.hearing.settle();
    const { mix } = bench.entry('c');
    Object.assign(mix!, { phase: 2, dueStep: 6 });
    for (let step = 0; step < 16; step++) bench.hearing.advancePlays(step, 4);
    assert.equal(play.frames, 3);
  });

  it('are saved with their position, and another table seeks to it', () => {
    const bench = playing();
    bench.play('m', 'k', ['a', 'b'], { alone: true, frames: 10 });
    advance(bench, 0, 4);
    const saved = bench.hearing.saveMix('m')!;
    assert.deepEqual(saved.members, [
      { leg: 'a', hears: ['b'] },
      { leg: 'b', hears: ['a'] },
      { leg: 'c', hears: ['a'] },
    ]);
    assert.deepEqual(saved.plays, [
      { sound: { kind: 'beep', count: 1 }, loop: false, key: 'k', to: ['a', 'b'], alone: true, frames: 4 },
    ]);
    const other = playing();
    const play = other.play('m', 'k', ['a'], { frames: 10 });
    other.hearing.seekPlay('m', 'k', 4);
    other.hearing.seekPlay('m', 'ghost', 4);
    advance(other, 0, 6);
    assert.deepEqual([play.frames, other.ended], [10, []]);
    advance(other, 6, 1);
    assert.deepEqual(other.ended, ['m/k']);
  });
});
