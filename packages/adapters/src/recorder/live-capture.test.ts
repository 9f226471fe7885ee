import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createMediaPool } from '../media-worker/index.ts';
import { createRecorder } from './recorder.ts';
import { decodeMp3, levelOf } from './testing/tones.ts';

test('the audio that a leg hears goes from the media thread into the file, without the time of a pause', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'jackfield-live-capture-'));
  const media = await createMediaPool({
    workers: 1,
    host: '127.0.0.1',
    ports: { first: 8960, last: 8963 },
    sockets: 'dgram',
  });
  const recorder = await createRecorder({ directory, media });
  const phone = createSocket('udp4').bind(0, '127.0.0.1');
  context.after(async () => {
    await recorder.close();
    await media.closeAll();
    phone.close();
    rmSync(directory, { recursive: true, force: true });
  });
  await once(phone, 'listening');
  await media.open('a');
  media.connect('a', {
    address: '127.0.0.1',
    port: phone.address().port,
    codec: 'PCMU',
    payloadType: 0,
    telephoneEventPayloadType: 101,
    direction: 'sendrecv',
    ptimeMs: 20,
  });
  media.send({ do: 'open-mix', mix: 'm' });
  const sound = { kind: 'tone', frequencyHz: 700, levelDb: -10 } as const;
  media.send({ do: 'play', mix: 'm', key: 'k', to: ['a'], sound, loop: true });

  /** Packets to the phone, 20 ms each. */
  const heard = async (packets: number) => {
    for (let packet = 0; packet < packets; packet++) await once(phone, 'message');
  };
  /** Gives an order, and when the media thread followed it. */
  const during = async (order: () => unknown) => {
    const fromMs = performance.now();
    await order();
    await media.census();
    return { fromMs, untilMs: performance.now() };
  };
  await heard(5);
  const recording = randomUUID();
  const tracks = [
    { said: [], heard: ['a'] },
    { said: ['a'], heard: [] },
  ];
  const started = await during(() => recorder.start({ recording, format: 'mp3', tracks }));
  await heard(60);
  const paused = await during(() => recorder.pause(recording));
  await heard(50);
  const resumed = await during(() => recorder.resume(recording));
  await heard(20);
  const stopMs = performance.now();
  const { durationMs } = await recorder.stop(recording);
  // 1,600 ms, and more where this thread was late with an order: packets wait for it, and the recording goes on.
  const leastMs = paused.fromMs - started.untilMs + (stopMs - resumed.untilMs);
  const mostMs = paused.untilMs - started.fromMs + (performance.now() - resumed.fromMs);
  assert.ok(
    durationMs > leastMs - 200 && durationMs < mostMs + 300,
    `${durationMs} ms of ${Math.round(leastMs)} to ${Math.round(mostMs)}, without a pause of 1000`,
  );
  const decoded = await decodeMp3(join(directory, `${recording}.mp3`));
  // −10 dB as played; a busy machine leaves gaps, after which the tone has another phase.
  assert.ok(levelOf(700, decoded, 0) > -20);
  assert.ok(levelOf(700, decoded, 1) < -60);
});
