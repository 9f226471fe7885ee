import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLiveStreams } from './live-streams.ts';

const serviceUrl = 'wss://bot.example/';
const ofCall = { stream: 's1', callUuid: 'a', serviceUrl };
const asLeg = { stream: 's2', callUuid: 'a', serviceUrl, asLeg: 'agent' };
const ofRoom = { stream: 's3', callUuid: 'a', serviceUrl, mpc: { uuid: 'm', name: 'room' } };

test('a stream ends with the leg that it names, unless it is a leg itself or of a room', () => {
  const live = createLiveStreams();
  for (const each of [ofCall, asLeg, ofRoom]) live.add(each);
  assert.deepEqual(live.ofLeg('a'), ['s1']);
  assert.deepEqual([ofCall, asLeg, ofRoom].map(live.endsWithLeg), [true, false, false]);
});

test('streams of a call, and those of a room, are beside each other until they are removed', () => {
  const live = createLiveStreams();
  for (const each of [ofCall, asLeg, ofRoom]) live.add(each);
  assert.deepEqual(live.beside(ofCall), [ofCall, asLeg]);
  assert.deepEqual(live.beside(ofRoom), [ofRoom]);
  live.remove(ofCall);
  assert.deepEqual(live.beside(asLeg), [asLeg]);
  assert.deepEqual([live.has('s1'), live.has('s2')], [false, true]);
});
