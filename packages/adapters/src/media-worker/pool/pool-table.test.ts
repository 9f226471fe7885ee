import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LegEntry } from './pool-entries.ts';
import { PoolTable } from './pool-table.ts';

function opened(table: PoolTable, name: string, worker: number): LegEntry {
  const leg = table.reserve(name, worker)!;
  leg.isOpen = true;
  return leg;
}

function gathered(table: PoolTable, mix: string, members: readonly string[]) {
  table.openMix(mix);
  return table.gather(table.mixes.get(mix)!, members)!;
}

const namesOf = (things: readonly { readonly name: string }[]) => things.map(({ name }) => name).sort();

test('a room begins where most of its members are, and the others move there', () => {
  const table = new PoolTable(3);
  opened(table, 'a', 0);
  opened(table, 'b', 2);
  opened(table, 'c', 2);
  const { to, bundles, refused, isNew } = gathered(table, 'm', ['a', 'b', 'c']);
  assert.deepEqual([to, isNew, refused], [2, true, []]);
  assert.deepEqual(
    bundles.map(({ from, things }) => [from, namesOf(things)]),
    [[0, ['a']]],
  );
});

test('legs that are opened for a room without members are all in one worker, where it begins', () => {
  const table = new PoolTable(3);
  table.openMix('m');
  table.openMix('n');
  const [first, second] = [table.workerBeside('m')!, table.workerBeside('n')!];
  assert.notEqual(first, second);
  for (const name of ['a', 'b', 'c']) opened(table, name, table.workerBeside('m')!);
  const { to, bundles, isNew } = gathered(table, 'm', ['a', 'b', 'c']);
  assert.deepEqual([to, bundles, isNew], [first, [], true]);
  assert.equal(gathered(table, 'm', ['a', 'b']).isNew, false);
});

test('a leg takes its own plays and captures along, and those of the room stay', () => {
  const table = new PoolTable(2);
  const [a, b] = [opened(table, 'a', 0), opened(table, 'b', 1)];
  gathered(table, 'room', ['b', 'c']);
  table.openMix('play');
  table.placePlays(table.mixes.get('play')!, ['a']);
  table.placeCapture('own', ['a']);
  table.placeCapture('all', ['b', 'c']);
  const { bundles } = gathered(table, 'room', ['a', 'b']);
  assert.deepEqual(namesOf(bundles[0]!.things), ['a', 'own', 'play']);
  assert.deepEqual(
    [a, b].map((leg) => table.workerOf(leg)),
    [1, 1],
  );
  assert.equal(table.workerOf(table.captures.get('own')!), 1);
});

test('a leg with a stream stays in its worker: the room moves there with all its members', () => {
  const table = new PoolTable(2);
  for (const [name, worker] of [
    ['a', 0],
    ['b', 0],
    ['streamed', 1],
  ] as const)
    opened(table, name, worker);
  gathered(table, 'm', ['a', 'b']);
  table.hold(table.addStream('s', 1, undefined), ['streamed']);
  const { to, bundles, refused } = gathered(table, 'm', ['a', 'b', 'streamed']);
  assert.deepEqual([to, refused], [1, []]);
  assert.deepEqual(
    bundles.map(({ from, things }) => [from, namesOf(things)]),
    [[0, ['a', 'b', 'm']]],
  );
});

test('of two legs with streams in different workers the stream of the newcomer is refused', () => {
  const table = new PoolTable(2);
  opened(table, 'a', 0);
  opened(table, 'b', 1);
  table.hold(table.addStream('first', 0, undefined), ['a']);
  table.hold(table.addStream('second', 1, undefined), ['b']);
  gathered(table, 'm', ['a']);
  const { to, bundles, refused } = gathered(table, 'm', ['a', 'b']);
  assert.deepEqual([to, namesOf(refused)], [0, ['second']]);
  assert.deepEqual(namesOf(bundles[0]!.things), ['b']);
});

test('a new room begins at the port of a browser, and a browser moves into a room elsewhere like every leg', () => {
  const table = new PoolTable(2);
  for (const name of ['a', 'b', 'c']) opened(table, name, 1);
  opened(table, 'browser', 0).iceIn = 0;
  assert.equal(gathered(table, 'new', ['a', 'b', 'browser']).to, 0);
  table.openMix('old');
  gathered(table, 'old', ['c']);
  const { to, bundles, refused } = gathered(table, 'old', ['c', 'browser']);
  assert.deepEqual([to, refused], [1, []]);
  assert.deepEqual(
    bundles.map(({ from, things }) => [from, namesOf(things)]),
    [[0, ['browser']]],
  );
});

test('a leg that a capture names before it is open is opened where the capture is, and forgotten after it', () => {
  const table = new PoolTable(2);
  const { entry } = table.placeCapture('c', ['a'])!;
  assert.equal(table.legs.get('a')!.isOpen, false);
  assert.equal(table.workerOf(table.reserve('a')!), table.workerOf(entry));
  table.endCapture(entry);
  assert.deepEqual([table.legs.size, table.captures.size], [0, 0]);
});

test('in any order of events every member is in the worker of its room, and nothing is left when everything is closed', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const room = fc.constantFrom('m', 'n');
  const event = fc.oneof(
    fc.record({ what: fc.constant('open' as const), name, worker: fc.nat(2) }),
    fc.record({ what: fc.constant('dial' as const), name, room }),
    fc.record({ what: fc.constant('close' as const), name }),
    fc.record({ what: fc.constant('gather' as const), room, names: fc.uniqueArray(name) }),
    fc.record({ what: fc.constant('close-mix' as const), room }),
    fc.record({ what: fc.constant('capture' as const), capture: room, names: fc.uniqueArray(name) }),
    fc.record({ what: fc.constant('end-capture' as const), capture: room }),
    fc.record({ what: fc.constant('stream' as const), name }),
    fc.record({ what: fc.constant('end-stream' as const), name }),
    fc.record({ what: fc.constant('die' as const), worker: fc.nat(2) }),
  );
  type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never;
  const apply = (table: PoolTable, each: Event): void => {
    switch (each.what) {
      case 'open':
        if (table.legs.get(each.name)?.isOpen !== true) opened(table, each.name, each.worker);
        return;
      case 'dial':
        if (table.legs.get(each.name)?.isOpen === true) return;
        opened(table, each.name, table.workerBeside(each.room)!);
        return;
      case 'close': {
        const leg = table.legs.get(each.name);
        if (leg?.isOpen === true) table.closeLeg(leg);
        return;
      }
      case 'gather': {
        const { refused } = gathered(table, each.room, each.names);
        for (const stream of refused) table.hold(stream, []);
        return;
      }
      case 'close-mix': {
        const mix = table.mixes.get(each.room);
        if (mix !== undefined) table.closeMix(mix);
        return;
      }
      case 'capture':
        table.placeCapture(each.capture, each.names);
        return;
      case 'end-capture': {
        const capture = table.captures.get(each.capture);
        if (capture !== undefined) table.endCapture(capture);
        return;
      }
      case 'stream': {
        const worker = table.workerOfLegs([each.name])!;
        if (!table.streams.has(each.name))
          table.hold(table.addStream(each.name, worker, undefined), [each.name]);
        return;
      }
      case 'end-stream': {
        const stream = table.streams.get(each.name);
        if (stream !== undefined) table.endStream(stream);
        return;
      }
      case 'die':
        table.lose(each.worker);
        table.restart(each.worker);
    }
  };
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const table = new PoolTable(3);
      for (const each of events) {
        apply(table, each);
        for (const mix of table.mixes.values()) {
          for (const member of mix.members) {
            assert.equal(table.workerOf(table.legs.get(member)!), table.workerOf(mix));
          }
        }
      }
      for (const mix of [...table.mixes.values()]) table.closeMix(mix);
      for (const stream of [...table.streams.values()]) table.endStream(stream);
      for (const capture of [...table.captures.values()]) table.endCapture(capture);
      for (const leg of [...table.legs.values()]) table.closeLeg(leg);
      assert.deepEqual([table.legs.size, table.loads()], [0, [0, 0, 0]]);
    }),
  );
});
