import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import { fromMulaw, toMulaw } from '@jackfield/stream-kit';
import { cleanUp } from './support/clean-up.ts';
import type { Sound } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import type { RtpSocket } from './support/rtp-socket.ts';
import { engineDigits, heardDigits } from './support/spoken-digits.ts';
import { startTrunkPhone } from './support/trunk-phone.ts';
import { codeTo } from './support/verification.ts';

/** Answers, greets at length, beeps and records. */
const voicemail = '+12025550107';
/** Leads to the phone of this test. */
const number = '+493012345678';
const [rate, frameSamples, frameMs] = [8000, 160, 20];

/** The greeting of a person who answers a call, as packets of PCMU. */
async function hello(): Promise<readonly Uint8Array[]> {
  const speech = createEspeakSpeech();
  try {
    const { sampleRate, samples } = await speech.speak({ text: 'Hello?', language: 'en', voice: 'man' });
    const length = Math.floor((samples.length * rate) / sampleRate);
    const frames: Uint8Array[] = [];
    for (let from = 0; from < length; from += frameSamples) {
      const sampleAt = (at: number) => samples[Math.round(((from + at) * sampleRate) / rate)] ?? 0;
      frames.push(toMulaw(Int16Array.from({ length: frameSamples }, (_, at) => sampleAt(at))));
    }
    return frames;
  } finally {
    await speech.close();
  }
}

async function say(frames: readonly Uint8Array[], phoneAudio: RtpSocket, port: number): Promise<void> {
  for (const [at, frame] of frames.entries()) {
    phoneAudio.send(port, 0, frame, at * frameSamples);
    await new Promise((resolve) => setTimeout(resolve, frameMs));
  }
}

/** The received audio, each packet at its timestamp, however late it came: pauses without packets are silence. */
function soundOf(phoneAudio: RtpSocket): Sound {
  const packets = phoneAudio.heard.filter(({ payloadType }) => payloadType === 0);
  const placed = packets.map(({ timestamp, payload }) => ({
    // Timestamps may pass 2^32.
    from: (timestamp - packets[0]!.timestamp) >>> 0,
    samples: fromMulaw(payload),
  }));
  const samples = new Int16Array(Math.max(0, ...placed.map((each) => each.from + each.samples.length)));
  for (const each of placed) samples.set(each.samples, each.from);
  return { sampleRate: rate, samples };
}

// Each calls a recipient of its own, and mostly waits for speech.
describe('a code that is spoken', { timeout: 180_000, concurrency: true }, () => {
  let platform: PlatformProcess;
  const left: { stop(): Promise<void> }[] = [];

  before(async () => {
    platform = await PlatformProcess.start();
  });

  after(() =>
    cleanUp(
      ...left.map((each) => () => each.stop()),
      () => platform.untilQuiet(),
      () => platform.stop(),
    ),
  );

  /** The code of a session whose message has come, and then the same session by voice. */
  async function begin(recipient: string, codeLength: number) {
    const fields = { recipient, code_length: codeLength };
    const { body: session } = await platform.api('POST', 'Verify/Session/', fields);
    const code = await codeTo(platform, recipient);
    assert.equal(code.length, codeLength);
    const spoken = await platform.api('POST', 'Verify/Session/', { ...fields, channel: 'voice' });
    assert.equal(spoken.body.session_uuid, session.session_uuid);
    return { session: session.session_uuid as string, code };
  }

  /** Waits for the end of the call; `look` runs meanwhile. */
  async function outcome(session: string, look: (call: string) => Promise<void> = async () => {}) {
    const limit = Date.now() + 60_000;
    for (;;) {
      const { body } = await platform.api('GET', `Verify/Session/${session}/`);
      const [, attempt] = body.attempt_details;
      if (attempt !== undefined && attempt.status !== 'in-progress') return attempt;
      if (attempt !== undefined) await look(`Call/${attempt.attempt_uuid}/`);
      assert.ok(Date.now() < limit, 'the call is over within a minute');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  it('is heard digit by digit as the engine says them, by a phone that said hello and waited', {
    skip: missing('sipp'),
  }, async () => {
    const { sipp, audio: phoneAudio } = await startTrunkPhone(platform, number);
    left.push({ stop: async () => phoneAudio.close() }, sipp);

    const words = await hello();
    const { session, code } = await begin(number, 4);
    let answered = false;
    let said: Promise<void> | undefined;
    const attempt = await outcome(session, async (call) => {
      const { status, body } = await platform.api('GET', `${call}?status=live`);
      answered ||= status === 200 && body.call_status === 'in-progress';
      if (answered) said ??= phoneAudio.peer().then((from) => say(words, phoneAudio, from));
      for (const [path, order] of [
        [`${call}Stream/`, { service_url: 'wss://listener.example/', audio_track: 'outbound' }],
        [`${call}Record/`, {}],
        [call, { aleg_url: 'https://listener.example/' }],
        ['MultiPartyCall/name_listener/Participant/', { role: 'agent', call_uuid: call.split('/')[1] }],
      ] as const) {
        const { status: refused, body: refusal } = await platform.api('POST', path, order);
        assert.equal(refused, 404, `${path}: ${JSON.stringify(refusal)}`);
      }
    });
    assert.deepEqual([attempt.status, attempt.channel_error_code], ['completed', null]);
    assert.ok(answered, 'no other caller hears or accepts an answered call that speaks a code');
    await said;
    assert.deepEqual(await sipp.finished(), { code: 0, errors: '' });

    const heard = heardDigits(soundOf(phoneAudio), await engineDigits('en'));
    const last = heard.slice(-code.length);
    const shown = JSON.stringify(heard);
    assert.equal(last.map(({ digit }) => digit).join(''), code, shown);
    // Two digits of equal resemblance would be no answer.
    for (const { likeness, lengthMs } of last) {
      assert.ok(likeness > 0.5, shown);
      assert.ok(lengthMs > 150 && lengthMs < 900, shown);
    }
    const checked = await platform.api('POST', `Verify/Session/${session}/`, { otp: code });
    assert.equal(checked.status, 200);
  });

  it('is not left on a voicemail: a long greeting is no hello, the key 1 is requested, and the recipient counts as not reached', async () => {
    const { session, code } = await begin(voicemail, 6);
    const attempt = await outcome(session);
    assert.deepEqual([attempt.status, attempt.channel_error_code], ['no-answer', '9100']);
    assert.equal((await platform.api('POST', `Verify/Session/${session}/`, { otp: code })).status, 200);
  });
});
