import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineStreams, OpenedStreamSource } from '@jackfield/media';
import type { StreamNotice, StreamOrder } from '@jackfield/ports';
import { startTestServer } from './testing/test-server.ts';
import { createWorkerStreams } from './worker-streams.ts';

const order: Omit<StreamOrder, 'stream'> = {
  call: 'c',
  account: 'MA',
  dialect: 'plivo',
  encoding: 'audio/x-l16',
  sampleRate: 8000,
  tracks: [],
  bidirectional: true,
  hearers: ['a'],
  extraHeaders: '',
  stopFrame: true,
  keepLostMs: 30_000,
};

for (const { when, faults } of [
  { when: 'at its connection', faults: { taps: ['faulty'], presses: false } },
  { when: 'about a message', faults: { taps: [], presses: true } },
]) {
  test(`an exception ${when} ends that stream with its reason, and no other stream of the thread`, async (context) => {
    const [sound, faulty] = [await startTestServer(), await startTestServer()];
    for (const server of [sound, faulty]) context.after(() => server.stop());
    const source: Partial<OpenedStreamSource> = { pause() {}, close() {}, clear: () => [], playedMs: 0 };
    const engine: Partial<EngineStreams> = {
      tap(name) {
        if (faults.taps.includes(name)) throw new TypeError('a fault of the engine');
        return true;
      },
      endTap() {},
      watchKeys() {},
      openStreamSource: () => source as OpenedStreamSource,
      pressKeys() {
        if (faults.presses) throw new TypeError('a fault of the engine');
        return 'taken';
      },
      census: () => ({ taps: 0, streamSources: 0 }),
    };
    const over = Promise.withResolvers<Extract<StreamNotice, { type: 'stream-over' }>>();
    const notices: StreamNotice[] = [];
    const streams = createWorkerStreams({
      engine: engine as EngineStreams,
      now: () => 0,
      wallNow: () => 0,
      notify(some) {
        notices.push(...some);
        for (const notice of some) if (notice.type === 'stream-over') over.resolve(notice);
      },
      openNoiseCancellation: () => assert.fail('no stream asks for it'),
    });
    const open = (stream: string, { url, port }: typeof sound): void => {
      const target = { url, addresses: ['127.0.0.1'], port, headers: {}, timeoutMs: 5_000 };
      streams.take({ type: 'stream', do: 'open', order: { ...order, stream } });
      streams.take({ type: 'stream', do: 'connect', stream, target });
    };
    open('sound', sound);
    await sound.until(({ event }) => event === 'start');
    open('faulty', faulty);
    if (faults.presses) {
      await faulty.until(({ event }) => event === 'start');
      faulty.say({ event: 'sendDTMF', dtmf: '5' });
    }
    const { stream, sentence, error } = await over.promise;
    assert.deepEqual([stream, sentence, error?.message], ['faulty', undefined, 'a fault of the engine']);
    // RFC 6455 §7.4.1: a condition that was not expected.
    assert.equal((await faulty.closed()).code, 1011);
    sound.say({ event: 'clearAudio' });
    await sound.until(({ event }) => event === 'clearedAudio');
    assert.deepEqual([streams.census().streams, streams.census().streamSockets], [1, 1]);
    await streams.closeAll();
    assert.equal(notices.filter(({ type }) => type === 'stream-over').length, 2);
  });
}
