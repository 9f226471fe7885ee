import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startFadingNetwork } from './testing/fading-network.ts';
import { createStreamRig, nothing, stream } from './testing/stream-rig.ts';
import { type GotFrame, toneBytes } from './testing/test-server.ts';

const payload = toneBytes(8000, 1200, 200).toString('base64');
const media = { contentType: 'audio/x-l16', sampleRate: 8000, payload };

/** A resumable stream over a network that may lose one direction; it counts as lost a ping later. */
async function openResumable(context: TestContext, firstPort: number) {
  const rig = await createStreamRig(context, firstPort, { streamLimits: { pingMs: 4500 } });
  const network = await startFadingNetwork(context, rig.server.port);
  const connect = async (resumed: boolean): Promise<void> => {
    const from = rig.notices.length;
    const { port } = network;
    const target = { url: rig.server.url, addresses: ['127.0.0.1'], port, headers: {}, timeoutMs: 5000 };
    rig.media.streams.connect(stream, { ...target, resumed });
    await rig.noticeOf('stream-connected', from);
  };
  rig.open({ keepLostMs: 30_000 });
  await connect(false);
  return {
    rig,
    network,
    connect,
    /** Audio with a checkpoint is played, and a key comes; resolves when all of it was reported into the socket. */
    async happen(name: string, digit: string): Promise<void> {
      const from = rig.notices.length;
      rig.server.say({ event: 'playAudio', media });
      rig.server.say({ event: 'checkpoint', name });
      await rig.noticeOf('stream-played', from);
      rig.media.streams.press({ leg: 'a', digit, durationMs: 100 });
      await rig.census();
    },
  };
}

/** What came on the second connection; frames of the first may arrive until it is there. */
const resumedOf = (frames: readonly GotFrame[]) =>
  frames.slice(frames.findIndex(({ start }) => start?.resumed));
const eventsOf = (frames: readonly GotFrame[]) =>
  frames.filter(({ event }) => event === 'playedStream' || event === 'dtmf');

test('events that a dead network has swallowed are sent again behind start, each once', async (context) => {
  const { rig, network, connect, happen } = await openResumable(context, 8436);
  network.loses = 'to-server';
  await happen('first', '5');
  await rig.noticeOf('stream-lost');
  assert.deepEqual(eventsOf(rig.server.frames), []);
  rig.media.streams.press({ leg: 'a', digit: '6', durationMs: 100 });
  network.loses = 'nothing';
  await connect(true);
  await happen('second', '7');
  await rig.server.until((frame) => frame.dtmf?.digit === '7');
  const after = resumedOf(rig.server.frames);
  assert.deepEqual(
    after.slice(0, 4).map(({ event, name, dtmf }) => name ?? dtmf?.digit ?? event),
    ['start', 'first', '5', '6'],
  );
  assert.deepEqual(
    eventsOf(after).map(({ name, dtmf }) => name ?? dtmf.digit),
    ['first', '5', '6', 'second', '7'],
  );
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over');
  assert.deepEqual(await rig.census(), nothing);
});

test('events that arrived without a confirmation come twice, with one sequenceNumber', async (context) => {
  const { rig, network, connect, happen } = await openResumable(context, 8444);
  await rig.server.until((frame) => frame.media?.chunk === 5);
  network.loses = 'to-platform';
  rig.media.streams.press({ leg: 'a', digit: '5', durationMs: 100 });
  const { sequenceNumber } = await rig.server.until(({ event }) => event === 'dtmf');
  await rig.noticeOf('stream-lost');
  network.loses = 'nothing';
  await connect(true);
  await happen('first', '6');
  await rig.server.until((frame) => frame.dtmf?.digit === '6');
  const after = resumedOf(rig.server.frames);
  assert.deepEqual([after[0].event, after[1].dtmf.digit], ['start', '5']);
  assert.equal(after[1].sequenceNumber, sequenceNumber);
  const numbers = rig.server.frames.map((frame) => frame.sequenceNumber);
  assert.equal(new Set(numbers).size, numbers.length - 1);
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over');
});
