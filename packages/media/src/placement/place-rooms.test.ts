import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createPlacement, type Placement } from './place-rooms.ts';

/** A worker holds this many participants, as one core of G.711 does. */
const capacity = 1200;
const seconds = 1800;

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2147483647;
    return state / 2147483647;
  };
}

/** Sizes of rooms: most have two or three members, few have dozens. */
function sizeOf(random: () => number): number {
  const share = random();
  if (share < 0.55) return 2;
  if (share < 0.85) return 3;
  if (share < 0.97) return 4 + Math.floor(random() * 7);
  return 11 + Math.floor(random() * 40);
}

interface Room {
  readonly name: string;
  readonly size: number;
  readonly endsAt: number;
  members: number;
}

/**
 * Half an hour of rooms that begin at random, grow by a member every few seconds and end after three minutes on
 * average, with this many participants on average. Returns the participants when a worker first was full, as a part of
 * what all workers hold; 1 when none was.
 */
function participantsThatHold(workers: number, offered: number, seed: number): number {
  const random = randomOf(seed);
  const placement: Placement = createPlacement({ workers });
  const meanSize = 3.6;
  const meanSeconds = 180;
  const perSecond = (workers * capacity * offered) / meanSize / meanSeconds;
  let rooms: Room[] = [];
  let opened = 0;
  let credit = 0;
  for (let second = 0; second < seconds; second++) {
    for (credit += perSecond * 2 * random(); credit >= 1; credit--) {
      const name = `room-${opened++}`;
      const lasts = -Math.log(1 - random()) * meanSeconds;
      rooms.push({ name, size: sizeOf(random), endsAt: second + lasts, members: 1 });
      placement.open(name, 1);
    }
    rooms = rooms.filter((room) => {
      if (room.endsAt <= second) {
        placement.close(room.name);
        return false;
      }
      if (room.members < room.size && random() < 0.4) placement.weigh(room.name, ++room.members);
      return true;
    });
    const load = new Array<number>(workers).fill(0);
    for (const { name, members } of rooms) load[placement.workerOf(name)!]! += members;
    if (load.some((participants) => participants > capacity)) {
      return rooms.reduce((sum, { members }) => sum + members, 0) / (workers * capacity);
    }
  }
  return 1;
}

describe('placement of rooms', () => {
  it('gives the next room to the worker with the least weight, and a closed room frees it', () => {
    const placement = createPlacement({ workers: 3 });
    assert.deepEqual([placement.open('a', 3), placement.open('b', 10), placement.open('c', 3)], [0, 1, 2]);
    assert.equal(placement.open('d', 4), 0);
    assert.equal(placement.open('e', 3), 2);
    placement.close('b');
    assert.equal(placement.open('f', 3), 1);
    assert.equal(placement.open('f', 3), undefined);
    assert.deepEqual(placement.weights(), [7, 3, 6]);
  });

  it('counts a new room as a usual one, so that rooms that open at once do not share a worker', () => {
    const placement = createPlacement({ workers: 4 });
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((room) => placement.open(room, 0)),
      [0, 1, 2, 3],
    );
  });

  it('opens no room beyond the capacity of every worker', () => {
    const placement = createPlacement({ workers: 2, capacity: 10 });
    assert.deepEqual([placement.open('a', 8), placement.open('b', 8)], [0, 1]);
    assert.equal(placement.open('c', 3), undefined);
  });

  it('names the rooms of a lost worker, and gives it no room until it is restarted', () => {
    const placement = createPlacement({ workers: 2 });
    for (const room of ['a', 'b', 'c', 'd']) placement.open(room, 3);
    assert.deepEqual(placement.lose(0), ['a', 'c']);
    assert.deepEqual([placement.workerOf('a'), placement.workerOf('b')], [undefined, 1]);
    assert.deepEqual([placement.open('e', 3), placement.open('f', 3)], [1, 1]);
    placement.close('a');
    placement.restart(0);
    assert.equal(placement.open('g', 3), 0);
    assert.deepEqual(placement.weights(), [3, 12]);
  });

  it('keeps the weight of each worker equal to that of its rooms, in any order of events', () => {
    const event = fc.record({
      what: fc.constantFrom('open', 'weigh', 'close', 'lose', 'restart'),
      room: fc.nat(20),
      weight: fc.nat(50),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), (events) => {
        const placement = createPlacement({ workers: 4, usualRoom: 0 });
        const weights = new Map<string, number>();
        for (const { what, room, weight } of events) {
          const name = `room-${room}`;
          if (what === 'open' && placement.open(name, weight) !== undefined) weights.set(name, weight);
          if (what === 'weigh' && weights.has(name)) weights.set(name, weight);
          if (what === 'weigh') placement.weigh(name, weight);
          if (what === 'close' && weights.delete(name)) placement.close(name);
          if (what === 'lose') for (const lost of placement.lose(room % 4)) weights.delete(lost);
          if (what === 'restart') placement.restart(room % 4);
        }
        const expected = [0, 0, 0, 0];
        for (const [name, weight] of weights) expected[placement.workerOf(name)!]! += weight;
        assert.deepEqual(placement.weights(), expected);
      }),
    );
  });

  it('lets 32 workers hold at least 0.9 of the participants of 32 single ones, as 2 and 8 do', () => {
    for (const workers of [2, 8, 32]) {
      for (const seed of [11, 12, 13]) {
        const held = participantsThatHold(workers, 1.1, seed);
        assert.ok(held >= 0.9, `${workers} workers, seed ${seed}: ${held.toFixed(3)}`);
      }
    }
  });
});
