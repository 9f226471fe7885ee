import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { BaresipPhone } from './support/baresip-phone.ts';
import { cleanUp } from './support/clean-up.ts';
import { lengthOf, readWav, toneLevelDb } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { Sipp } from './support/sipp.ts';
import { writeSpeech } from './support/speech-pcap.ts';

const password = 'early-secret';
const [callerHz, earlyHz] = [700, 1000];

let platform: PlatformProcess;
let directory: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'early-'));
  platform = await PlatformProcess.start();
});

after(() =>
  cleanUp(
    () => platform.untilQuiet(),
    () => platform.stop(),
    () => rm(directory, { recursive: true, force: true }),
  ),
);

it('audio of sipp after a 183 with SDP is heard by baresip, which called it, before the 200; no leg is left at the end', {
  skip: missing('sipp', 'baresip', 'sox'),
  timeout: 180_000,
}, async () => {
  const called = await platform.createEndpoint('called', password);
  const calling = await platform.createEndpoint('calling', password);
  const options = { remote: platform.sipAddress, user: called.username, password };
  const registered = await Sipp.start({ ...options, scenario: 'register' });
  assert.deepEqual(await registered.finished(), { code: 0, errors: '' });
  const speech = join(directory, 'speech.pcap');
  await writeSpeech(speech, earlyHz, 3);
  const scenario = { ...options, scenario: 'answer-early-media', port: registered.port, keys: { speech } };
  const sipp = await Sipp.start(scenario);
  const phone = await BaresipPhone.start({
    registrar: platform.sipAddress,
    username: calling.username,
    password,
    toneHz: callerHz,
  });
  try {
    await phone.registered();
    phone.dial(`sip:${called.username}@${platform.sipAddress}`);
    await phone.established();
    phone.hangUp();
    assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });
    await phone.closed();
    // The file is whole now.
    const heard = await readWav(await phone.heard());
    const levels: number[] = [];
    for (let at = 0; at + 0.05 <= lengthOf(heard); at += 0.05) {
      levels.push(toneLevelDb(heard, earlyHz, at, at + 0.05));
    }
    // The phone speaks three seconds before the 200 and nothing after it: all of the tone is early media.
    const audible = levels.filter((level) => level > -40).length * 0.05;
    assert.ok(audible > 1.5, `${audible} s of the tone were heard before the answer`);
  } finally {
    await phone.stop();
    await sipp.stop();
    await registered.stop();
  }
});
