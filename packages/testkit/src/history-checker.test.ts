import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brokenInvariants, type History, type RecordedEvent } from './history-checker.ts';

const event = (eventId: string, type: string, more: Partial<RecordedEvent> = {}): RecordedEvent => ({
  eventId,
  type,
  resource: 'call/x',
  callback: 'ordered',
  ...more,
});

const participations: History['participations'] = [
  { phone: 'cid', role: 'customer', isCoach: false, from: 0, to: 1_000 },
  { phone: 'ann', role: 'agent', isCoach: false, from: 0, to: 1_000 },
  { phone: 'sue', role: 'supervisor', isCoach: true, from: 500, to: 1_000 },
];
const leftovers: History['leftovers'] = {
  running: [1],
  liveRows: [{ table: 'calls', id: 'x', incarnation: 1 }],
  phones: [{ phone: 'ann', calls: 1, rows: 1 }],
  census: { 'call-leg sessions': 0 },
};
const call = (from: number, to: number, cost = 0) => ({ from, to, cost });

/** A history that breaks nothing, with something in each of its parts. */
const sound: History = {
  events: [
    event('1', 'call.answered'),
    event('2', 'call.ended'),
    event('3', 'call.quality', { callback: 'none' }),
    event('4', 'call.answered', { resource: 'call/y', callback: 'given-up' }),
    event('5', 'call.action', { resource: 'call/y', callback: 'unordered' }),
    event('6', 'call.ended', { resource: 'call/y' }),
  ],
  sightings: [
    { leg: 'x', end: undefined },
    { leg: 'x', end: '4000' },
    { leg: 'x', end: '4000' },
  ],
  accepted: ['1', '6', '1', '2', '5'],
  carriers: [
    {
      carrier: 'acme',
      calls: [call(0, 500, 10), call(600, 900, 10), call(1_200, 1_300, 10), call(3_600_900, 3_601_400, 10)],
      caps: { atOnce: 1, perSecond: 2, spendPerHour: 30 },
    },
  ],
  participations,
  heard: [
    { listener: 'cid', at: 520, speakers: ['sue'] },
    { listener: 'cid', at: 600, speakers: ['ann'] },
    { listener: 'ann', at: 600, speakers: ['sue', 'cid'] },
  ],
  writes: [
    { incarnation: 2, step: 1 },
    { incarnation: 1, step: 9 },
  ],
  ends: [{ incarnation: 2, step: 2 }],
  liveRooms: [[{ account: 'MA', name: 'room', uuid: '1' }], [{ account: 'MA', name: 'room', uuid: '2' }]],
  keyed: [
    { key: 'k', status: 503, body: 'not known' },
    { key: 'k', status: 201, body: 'made' },
    { key: 'k', status: 201, body: 'made' },
  ],
  effects: [{ key: 'k', id: 'x' }],
  leftovers,
  bills: [
    { leg: 'x', billedMs: 10_000, heardMs: 9_980, upMs: 10_001 },
    { leg: 'y', billedMs: 8_050, heardMs: 10_000, upMs: 10_000 },
    // The BYE of the platform came at its fourth attempt.
    { leg: 'z', billedMs: 3_144, heardMs: 3_140, upMs: 6_648 },
  ],
  attempts: [{ phone: 'ann', rangAfterMs: 40 }],
};

const breaches: readonly [number, string, Partial<History>, RegExp][] = [
  [
    1,
    'a second end',
    { events: [...sound.events, event('7', 'call.ended', { callback: 'none' })] },
    /follows its end/,
  ],
  [
    1,
    'an event behind the end',
    { events: [...sound.events, event('7', 'call.answered', { callback: 'none' })] },
    /call.answered follows/,
  ],
  [1, 'an end that changes', { sightings: [...sound.sightings, { leg: 'x', end: '5010' }] }, /4000.*5010/],
  [
    1,
    'an end that is taken back',
    { sightings: [...sound.sightings, { leg: 'x', end: undefined }] },
    /no end/,
  ],
  [2, 'an event that never arrives', { accepted: ['1', '2', '5'] }, /6 never arrived/],
  [2, 'an unordered event that never arrives', { accepted: ['1', '2', '6'] }, /5 never arrived/],
  [2, 'an event that overtakes another', { accepted: ['2', '1', '5', '6'] }, /2 overtook/],
  [2, 'a callback that nothing records', { accepted: [...sound.accepted, '99'] }, /99 arrived/],
  [
    3,
    'a call too many at once',
    { carriers: [{ ...sound.carriers[0]!, calls: [call(0, 10), call(5, 9)] }] },
    /2 calls at 5/,
  ],
  [
    3,
    'a call too many in a second',
    { carriers: [{ ...sound.carriers[0]!, calls: [call(0, 1), call(100, 101), call(200, 201)] }] },
    /too many calls from 0 to 200/,
  ],
  [
    3,
    'an hour that costs too much',
    {
      carriers: [{ ...sound.carriers[0]!, calls: [call(0, 1_000_000, 20), call(2_000_000, 3_000_000, 20)] }],
    },
    /40 spent in the hour/,
  ],
  [
    4,
    'a customer who hears a coach',
    { heard: [{ listener: 'cid', at: 541, speakers: ['sue'] }] },
    /cid hears coach sue/,
  ],
  [5, 'a write behind the end', { writes: [{ incarnation: 2, step: 3 }] }, /2 writes in step 3/],
  [
    6,
    'two live multiparty calls of a name',
    { liveRooms: [[...sound.liveRooms[0]!, ...sound.liveRooms[1]!]] },
    /MA\/room is live 2 times/,
  ],
  [
    6,
    'two answers to a key',
    { keyed: [...sound.keyed, { key: 'k', status: 201, body: 'other' }] },
    /2 answers/,
  ],
  [6, 'two effects of a key', { effects: [...sound.effects, { key: 'k', id: 'y' }] }, /2 effects: x,y/],
  [
    7,
    'a live row of an ended incarnation',
    { leftovers: { ...leftovers, running: [] } },
    /lives in incarnation 1/,
  ],
  [
    7,
    'a phone in a call without a record',
    { leftovers: { ...leftovers, phones: [{ phone: 'ann', calls: 1, rows: 0 }] } },
    /ann is in 1 calls/,
  ],
  [
    7,
    'something that outlives its calls',
    { leftovers: { ...leftovers, census: { timers: 1 } } },
    /timers: 1 left/,
  ],
  [
    8,
    'a bill longer than the call',
    { bills: [{ leg: 'x', billedMs: 10_200, heardMs: 10_000, upMs: 10_000 }] },
    /billed 10200/,
  ],
  [
    8,
    'a bill much shorter than the audio of the call',
    { bills: [{ leg: 'x', billedMs: 7_800, heardMs: 10_000, upMs: 10_000 }] },
    /billed 7800/,
  ],
  [
    9,
    'a phone that does not ring',
    { attempts: [{ phone: 'ann', rangAfterMs: undefined }] },
    /ann rang after/,
  ],
  [9, 'a phone that rings late', { attempts: [{ phone: 'ann', rangAfterMs: 10_001 }] }, /10001 ms/],
];

describe('the checker of histories', () => {
  it('finds nothing in a sound history, nor in an empty one', () => {
    assert.deepEqual(brokenInvariants(sound), []);
    assert.deepEqual(brokenInvariants({}), []);
  });

  for (const [invariant, name, parts, what] of breaches)
    it(`finds ${name}: invariant ${invariant}, and no other`, () => {
      const [found, ...others] = brokenInvariants({ ...sound, ...parts });
      assert.equal(found?.invariant, invariant);
      assert.match(found?.what ?? '', what);
      assert.deepEqual(others, []);
    });
});
