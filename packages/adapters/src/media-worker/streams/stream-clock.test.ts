import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineStreams, KeyListener } from '@jackfield/media';
import type { StreamOrder } from '@jackfield/ports';
import { startTestServer } from './testing/test-server.ts';
import { createWorkerStreams } from './worker-streams.ts';

const hour = 3_600_000;

test('frames of a stream that begins after a step of the wall clock have its date; a later step moves no frame', async (context) => {
  const server = await startTestServer();
  context.after(() => server.stop());
  const clock = { now: 1_000_000_000_000, aheadMs: hour };
  let say = (_samples: Int16Array, _tracks: number): void => {};
  let press: KeyListener = () => {};
  const engine: Partial<EngineStreams> = {
    tap(_name, { take }) {
      say = take;
      return true;
    },
    endTap() {},
    watchKeys(_name, _legs, pressed) {
      press = pressed;
    },
    census: () => ({ taps: 0, streamSources: 0 }),
  };
  const streams = createWorkerStreams({
    engine: engine as EngineStreams,
    now: () => clock.now,
    wallNow: () => clock.now + clock.aheadMs,
    notify() {},
    openNoiseCancellation: () => assert.fail('no stream asks for it'),
  });
  const order: StreamOrder = {
    stream: 's',
    call: 'c',
    account: 'MA',
    dialect: 'plivo',
    encoding: 'audio/x-l16',
    sampleRate: 8000,
    tracks: [{ name: 'inbound', said: ['a'], heard: [], keysOf: ['a'] }],
    bidirectional: false,
    hearers: [],
    extraHeaders: '',
    stopFrame: true,
    keepLostMs: 0,
  };
  const { url, port } = server;
  const target = { url, addresses: ['127.0.0.1'], port, headers: {}, timeoutMs: 5_000 };
  streams.take({ type: 'stream', do: 'open', order });
  streams.take({ type: 'stream', do: 'connect', stream: 's', target });
  await server.until(({ event }) => event === 'start');
  const begun = clock.now + hour;
  const frame = (): void => {
    say(new Int16Array(160), 1);
    clock.now += 20;
  };
  frame();
  clock.aheadMs = -hour;
  frame();
  press('a', '5', 100, 'event');
  const { dtmf } = await server.until(({ event }) => event === 'dtmf');
  const dates = server.frames.filter(({ event }) => event === 'media').map(({ media }) => media.timestamp);
  assert.deepEqual([...dates, dtmf.timestamp].map(Number), [begun, begun + 20, begun + 40]);
  await streams.closeAll();
});
