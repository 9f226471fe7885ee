import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpokenTextReader, spokenText } from '@jackfield/adapters/speech-tones';
import { SimulatedNetwork } from './simulated-network.ts';
import { SimulatedPhone } from './simulated-phone.ts';
import { createVirtualClock } from './virtual-clock.ts';

test('A phone that the machine did not run sends no burst, and loses no word', async () => {
  const clock = createVirtualClock();
  const random = () => 0.5;
  const network = new SimulatedNetwork(clock, random);
  const open = (username: string, address: string) =>
    new SimulatedPhone({
      ...{ clock, network, random, address, username, password: '' },
      registrar: { address: '10.0.1.2', port: 5060 },
      domain: 'voice.test',
      toneHz: 1000,
      toneDb: Number.NEGATIVE_INFINITY,
    });
  const [speaker, listener] = [open('speaker', '10.0.1.1'), open('listener', '10.0.1.2')];
  const call = speaker.dial('listener');
  await clock.advance(200);
  assert.ok(call.isUp);

  call.audio.say(spokenText('A table'));
  await clock.advance(250);
  await clock.leap(240);
  await clock.advance(2000);
  const { heard } = listener.call!;
  const reader = new SpokenTextReader();
  for (const { samples } of heard) reader.hear(samples);
  assert.deepEqual(reader.texts, ['A table']);
  const atOnce = Map.groupBy(heard, ({ at }) => at);
  assert.equal(Math.max(...[...atOnce.values()].map((frames) => frames.length)), 1);

  call.hangUp();
  assert.equal(call.byeAnsweredAt, undefined);
  await clock.advance(40_000);
  assert.equal(call.byeAnsweredAt! - call.endedAt!, 2);
  for (const phone of [speaker, listener]) phone.close();
  assert.equal(clock.pending, 0);
});
