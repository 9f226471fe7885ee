import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutgoingEvents } from './outgoing-events.ts';

/** Events of a stream with the position of its audio, and what was said. */
function eventsOf({ isResumable = true, isConnected = true } = {}) {
  const said: string[] = [];
  const state = { isConnected, position: 0 };
  const events = new OutgoingEvents({
    isResumable,
    isConnected: () => state.isConnected,
    position: () => state.position,
    say: (messages) => void said.push(...messages),
  });
  return {
    state,
    events,
    emit: (...texts: readonly string[]) => events.emit(() => texts),
    /** What is sent now. */
    sent: () => said.splice(0),
  };
}

test('a confirmed position confirms the events in front of it, not those at it', () => {
  const { state, events, emit, sent } = eventsOf();
  emit('at 0');
  state.position = 4;
  emit('at 4', 'again at 4');
  sent();
  events.arrived(4);
  events.begin();
  assert.deepEqual(sent(), ['at 4', 'again at 4']);
  events.arrived(5);
  events.begin();
  assert.deepEqual(sent(), []);
});

test('unconfirmed events are sent on every new connection, in front of those of the time without one', () => {
  const { state, events, emit, sent } = eventsOf();
  emit('a');
  state.isConnected = false;
  emit('b');
  assert.deepEqual(sent(), ['a']);
  state.isConnected = true;
  events.begin();
  assert.deepEqual(sent(), ['a', 'b']);
  events.begin();
  assert.deepEqual(sent(), ['a', 'b']);
});

test('a thousand events are kept of each kind: the newest unconfirmed ones, and the first of the time without a connection', () => {
  const { state, events, emit, sent } = eventsOf();
  const names = Array.from({ length: 1200 }, (_, n) => `${n}`);
  for (const name of names) emit(name);
  sent();
  events.begin();
  assert.deepEqual(sent(), names.slice(200));
  events.arrived(1);
  state.isConnected = false;
  for (const name of names) emit(name);
  state.isConnected = true;
  events.begin();
  assert.deepEqual(sent(), names.slice(0, 1000));
});

test('nothing is kept of a stream that is not resumable, or whose end is intended', () => {
  const once = eventsOf({ isResumable: false });
  once.emit('a');
  once.state.isConnected = false;
  once.emit('b');
  once.events.begin();
  assert.deepEqual(once.sent(), ['a']);
  const ended = eventsOf();
  ended.emit('a');
  ended.state.isConnected = false;
  ended.emit('b');
  ended.events.clear();
  ended.events.begin();
  assert.deepEqual(ended.sent(), ['a']);
});
