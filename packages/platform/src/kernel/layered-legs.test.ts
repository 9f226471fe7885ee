import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DialRequest, LegListener, LegNotice, Machine, Telephony } from '@jackfield/ports';
import { createVirtualClock } from '@jackfield/testkit';
import { layerLegs, type PlaceEffect, type PlaceInput } from './layered-legs.ts';

interface TwoPlaces {
  readonly phase: 'first' | 'second' | 'taken' | 'ended';
}
type Invite = { readonly do: 'invite' };

/** The second place is tried when the first has ended, or was silent for a second. */
const twoPlaces: Machine<TwoPlaces, PlaceInput, Invite | PlaceEffect> = {
  step(state, input, now) {
    switch (input.type) {
      case 'dialled':
        return { state, effects: [{ do: 'start-timer', at: now + 1000 }, { do: 'invite' }] };
      case 'timer-fired':
      case 'hang-up':
        return { state, effects: [{ do: 'hang-up' }] };
      case 'ringing':
      case 'answered':
        return {
          state: { phase: 'taken' },
          effects: [{ do: 'cancel-timer' }, { do: 'tell', notice: 'leg-answered' }],
        };
      case 'ended':
        return state.phase === 'first'
          ? { state: { phase: 'second' }, effects: [{ do: 'cancel-timer' }, { do: 'invite' }] }
          : { state: { phase: 'ended' }, effects: [{ do: 'tell-end', end: input.end }] };
    }
  },
};

function createLayer() {
  const clock = createVirtualClock();
  const dialled: DialRequest[] = [];
  const heard: LegNotice[] = [];
  let below: LegListener = () => {};
  const signalling: Telephony = {
    listen(listener) {
      below = listener;
    },
    open: async () => {},
    dial: (request) => void dialled.push(request),
    ring() {},
    openEarly() {},
    answer() {},
    hangUp: (leg) => below({ type: 'leg-ended', leg, end: { by: 'local' } }),
  };
  const layer = layerLegs<TwoPlaces, PlaceInput, Invite, undefined>({
    clock,
    telephony: signalling,
    machine: twoPlaces,
    begin: ({ targets }) =>
      targets[0]?.trunk === undefined ? undefined : { state: { phase: 'first' }, about: undefined },
    perform: (_invite, { request }) => signalling.dial(request),
  });
  layer.telephony.listen((notice) => heard.push(notice));
  const dial = (leg: string, isLayered = true) => {
    const trunk = { trunk: 'T', account: 'A', mainAccount: 'A' };
    const targets = [{ uri: 'sip:a@192.0.2.1', ...(isLayered && { trunk }) }];
    layer.telephony.dial({ leg, from: { user: 'alice' }, to: { user: 'bob' }, targets });
  };
  const notify = (notice: LegNotice) => below(notice);
  return { clock, layer, dialled, heard, dial, notify };
}

test('a leg is counted from its dialling to the one end that is told of it, however many places were tried', async () => {
  const { clock, layer, dialled, heard, dial, notify } = createLayer();
  dial('a');
  dial('b');
  assert.equal(layer.census(), 2);
  await clock.advance(1000);
  assert.deepEqual(
    dialled.map(({ leg }) => leg),
    ['a', 'b', 'a', 'b'],
  );
  notify({ type: 'leg-answered', leg: 'a' });
  assert.equal(layer.census(), 2, 'an answered leg is one still');
  layer.telephony.hangUp('a');
  assert.equal(layer.census(), 1);
  notify({ type: 'leg-ended', leg: 'b', end: { by: 'no-response' } });
  assert.equal(layer.census(), 0);
  assert.deepEqual(
    heard.map(({ type, leg }) => `${type} ${leg}`),
    ['leg-answered a', 'leg-ended a', 'leg-ended b'],
  );
  assert.equal(clock.pending, 0);
});

test('a leg that is dialled anywhere else passes untouched and is not counted', () => {
  const { layer, dialled, heard, dial, notify } = createLayer();
  dial('c', false);
  notify({ type: 'leg-ended', leg: 'c', end: { by: 'no-target' } });
  assert.deepEqual([dialled.length, heard.length, layer.census()], [1, 1, 0]);
});

test('a layer that is closed holds no leg and no timer, and its legs hear nothing of their places', async () => {
  const { clock, layer, dialled, dial } = createLayer();
  dial('a');
  layer.close();
  assert.equal(layer.census(), 0);
  assert.equal(clock.pending, 0);
  await clock.advance(2000);
  assert.equal(dialled.length, 1);
});
