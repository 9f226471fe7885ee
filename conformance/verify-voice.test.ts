import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readWav } from './support/heard.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { engineDigits, heardDigits } from './support/spoken-digits.ts';

/** Answers, greets, and records what it hears. */
const voicemail = '+12025550107';

describe('a code that is spoken', { timeout: 120_000 }, () => {
  let platform: PlatformProcess;
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jackfield-spoken-'));
    platform = await PlatformProcess.start();
  });

  after(async () => {
    await platform.stop();
    await rm(directory, { recursive: true });
  });

  it('is heard digit by digit as the engine says them, by a phone that recorded the call', async () => {
    const wanted = { recipient: voicemail, code_length: 8 };
    const { body: session } = await platform.api('POST', 'Verify/Session/', wanted);
    const path = `Sandbox/Message/?to=${encodeURIComponent(voicemail)}`;
    const inbox = await platform.until('the message', path, (body) => body.objects?.length === 1);
    const code = /\d{8}/.exec(inbox.objects[0].text)?.[0] ?? '';
    assert.equal(code.length, 8);

    // The same session, the same code: now by voice.
    const spoken = await platform.api('POST', 'Verify/Session/', { ...wanted, channel: 'voice' });
    assert.equal(spoken.body.session_uuid, session.session_uuid);
    const limit = Date.now() + 60_000;
    let answered = false;
    for (;;) {
      const { body } = await platform.api('GET', `Verify/Session/${session.session_uuid}/`);
      const [, attempt] = body.attempt_details;
      if (attempt?.status === 'completed') break;
      assert.equal(attempt?.status, 'in-progress');
      const call = `Call/${attempt.attempt_uuid}/`;
      answered ||= (await platform.api('GET', `${call}?status=live`)).body.call_status === 'in-progress';
      for (const [place, wish] of [
        [`${call}Stream/`, { service_url: 'wss://listener.example/', audio_track: 'outbound' }],
        [`${call}Record/`, {}],
        [call, { aleg_url: 'https://listener.example/' }],
        ['MultiPartyCall/name_listener/Participant/', { role: 'agent', call_uuid: attempt.attempt_uuid }],
      ] as const) {
        const { status, body: refusal } = await platform.api('POST', place, wish);
        assert.equal(status, 404, `${place}: ${JSON.stringify(refusal)}`);
      }
      assert.ok(Date.now() < limit, 'the code is spoken within a minute');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    assert.ok(answered, 'nobody else hears or takes a call that has been answered and speaks a code');
    const { objects } = await platform.until(
      'the recording of the voicemail',
      `Recording/?to_number=${encodeURIComponent(voicemail)}`,
      (body) =>
        body.objects?.some(
          (each: { recording_duration_ms: string }) => Number(each.recording_duration_ms) > 0,
        ),
    );
    const file = join(directory, 'heard.wav');
    await writeFile(file, await platform.download(objects[0].recording_url));

    const heard = heardDigits(await readWav(file), await engineDigits('en'));
    const last = heard.slice(-code.length);
    const shown = JSON.stringify(heard);
    assert.equal(last.map(({ digit }) => digit).join(''), code, shown);
    // A digit that is like another one as much would be no answer.
    for (const { likeness, lengthMs } of last) {
      assert.ok(likeness > 0.5, shown);
      assert.ok(lengthMs > 150 && lengthMs < 900, shown);
    }
    const checked = await platform.api('POST', `Verify/Session/${session.session_uuid}/`, { otp: code });
    assert.equal(checked.status, 200);
    await platform.untilQuiet();
  });
});
