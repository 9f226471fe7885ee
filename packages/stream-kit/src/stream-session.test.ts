import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { serveStreams } from './serve-streams.ts';
import type { StreamSession } from './stream-session.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const streamId = '11111111-1111-4111-8111-111111111111';
const start = {
  event: 'start',
  sequenceNumber: 1,
  start: {
    callId: streamId,
    streamId,
    accountId: 'MA',
    tracks: ['inbound'],
    mediaFormat: { encoding: 'audio/x-l16', sampleRate: 8000 },
  },
  extra_headers: '',
};

/** A server with the kit, and a client that sends any messages. */
async function connected(...first: readonly unknown[]) {
  const { promise, resolve } = Promise.withResolvers<StreamSession>();
  const server = await serveStreams({ onStream: resolve });
  closing.push(() => server.close());
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/`);
  await once(socket, 'open');
  const say = (frame: unknown) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  for (const frame of first) say(frame);
  return { socket, say, stream: promise };
}

const answer = (event: string, more: object = {}) => ({ event, sequenceNumber: 2, streamId, ...more });

test('a message that is not a frame ends the connection, but not the server', async () => {
  for (const wrong of [
    'no json',
    'null',
    '[]',
    '{"event":"media"}',
    '{"event":"dtmf","dtmf":null}',
    '{"event":"stop"}',
  ]) {
    const { socket, say } = await connected(start);
    say(wrong);
    const [code] = await once(socket, 'close');
    assert.equal(code, 1002, wrong);
  }
});

test('a first frame without a format is refused as start', async () => {
  for (const wrong of ['null', '{"event":"start"}', { ...start, start: { streamId } }]) {
    const { socket } = await connected(wrong);
    const [code] = await once(socket, 'close');
    assert.equal(code, 1002);
  }
});

test('frames of an unknown kind are ignored', async () => {
  const { say, stream } = await connected(start);
  const session = await stream;
  const heard = session.heard('later');
  say(answer('weather', { rain: true }));
  say(answer('playedStream', { name: 'later' }));
  assert.equal(await heard, true);
});

test('audio played after a clear has its own checkpoint, which the clear does not settle', async () => {
  const { say, stream } = await connected(start);
  const session = await stream;
  const before = session.heard('before');
  const cleared = session.clear();
  const after = session.heard('after');
  say(answer('clearedAudio'));
  await cleared;
  assert.equal(await before, false);
  say(answer('playedStream', { name: 'after' }));
  assert.equal(await after, true);
});

test('checkpoints settle when the stream ends or their name is used again', async () => {
  const { socket, stream } = await connected(start);
  const session = await stream;
  const first = session.heard('twice');
  const second = session.heard('twice');
  assert.equal(await first, false);
  socket.close(1000);
  await once(session, 'end');
  assert.equal(await second, false);
  assert.equal(await session.heard(), false);
  await session.clear();
});

test('of the frames that a resumed stream sends again, answers settle nothing of the new session, and keys have their number', async () => {
  const { say, stream } = await connected({ ...start, sequenceNumber: 9 });
  const session = await stream;
  const happened: unknown[] = [];
  session.on('digit', (...key) => happened.push(key));
  const cleared = session.clear().then(() => happened.push('cleared'));
  const heard = session.heard('greeting').then((isHeard) => happened.push(isHeard));
  say(answer('clearedAudio', { sequenceNumber: 4 }));
  say(answer('playedStream', { sequenceNumber: 5, name: 'greeting' }));
  const dtmf = { track: 'inbound', digit: '5', timestamp: '1' };
  say(answer('dtmf', { sequenceNumber: 6, dtmf, extra_headers: '' }));
  await once(session, 'digit');
  // Promises that the frames before the key have settled.
  await setImmediate();
  happened.push('no answer');
  say(answer('clearedAudio', { sequenceNumber: 10 }));
  await cleared;
  say(answer('playedStream', { sequenceNumber: 11, name: 'greeting' }));
  await heard;
  assert.deepEqual(happened, [['5', 'inbound', 6], 'no answer', 'cleared', true]);
});
