import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createCodeJudge, digitErrors, judgedDigits } from '@jackfield/testkit/code-judge';
import { BaresipPhone } from './support/baresip-phone.ts';
import { cleanUp } from './support/clean-up.ts';
import { readWav } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { leadTo } from './support/trunk-phone.ts';
import { codeTo } from './support/verification.ts';

const skip = missing('baresip', 'sox', 'pocketsphinx_continuous');
const codesEach = 3;
/** Of the digits. By chance nine of ten would be wrong; the bench `spoken-codes` has the usual share. */
const mostErrors = 0.5;

// The whole way: the server calls a phone that others wrote, and a recogniser that others wrote judges what this phone played.
describe('a code that a phone hears', { skip, timeout: 180_000, concurrency: true }, () => {
  let platform: PlatformProcess;
  const phones: BaresipPhone[] = [];

  before(async () => {
    platform = await PlatformProcess.start();
  });

  after(() =>
    cleanUp(
      ...phones.map((phone) => () => phone.stop()),
      () => platform.untilQuiet(),
      () => platform.stop(),
    ),
  );

  /** Calls the number with the code of a session until the call is over. The code is that of a message before. */
  async function spokenTo(recipient: string, phone: BaresipPhone): Promise<string> {
    const fields = { recipient, code_length: judgedDigits, locale: 'en_US' };
    const { status, body } = await platform.api('POST', 'Verify/Session/', fields);
    assert.equal(status, 202, JSON.stringify(body));
    const code = await codeTo(platform, recipient);
    const from = phone.events.all.length;
    const spoken = await platform.api('POST', 'Verify/Session/', { ...fields, channel: 'voice' });
    assert.equal(spoken.body.session_uuid, body.session_uuid, JSON.stringify(spoken.body));
    await phone.closed(from);
    const { attempt_details: attempts } = await platform.until(
      'the end of the attempt',
      `Verify/Session/${body.session_uuid}/`,
      (session) => session.attempt_details[1]?.status !== 'in-progress',
    );
    assert.equal(attempts[1].status, 'completed', JSON.stringify(attempts));
    const checked = await platform.api('POST', `Verify/Session/${body.session_uuid}/`, { otp: code });
    assert.equal(checked.status, 200);
    return code;
  }

  for (const { codec, band, area } of [
    { codec: 'pcmu', band: 'telephone', area: '+4930' },
    { codec: 'g722', band: 'wide', area: '+4940' },
  ] as const) {
    it(`over ${codec} is understood by a recogniser, each time that it is said`, async (test) => {
      const desk = { registrar: '127.0.0.1', username: 'desk', password: '', registers: false } as const;
      const phone = await BaresipPhone.start({ ...desk, toneHz: 0, codec });
      phones.push(phone);
      const numbers = Array.from({ length: codesEach }, (_, n) => `${area}1234567${n}`);
      await leadTo(platform, phone.address, numbers);
      const judge = createCodeJudge(band);
      try {
        const judged: { code: string; heard: readonly string[]; errors: number }[] = [];
        for (const number of numbers) {
          const code = await spokenTo(number, phone);
          const { samples, sampleRate } = await readWav(await phone.heard());
          assert.equal(sampleRate, codec === 'g722' ? 16_000 : 8000);
          const heard = await judge.understand(samples, sampleRate);
          assert.equal(heard.length, 2, `${code} is said twice: ${heard}`);
          const errors = heard.reduce((sum, each) => sum + digitErrors(code, each), 0);
          judged.push({ code, heard, errors });
        }
        const digits = 2 * judgedDigits * codesEach;
        const errors = judged.reduce((sum, each) => sum + each.errors, 0);
        test.diagnostic(`${errors} of ${digits} digits are wrong: ${JSON.stringify(judged)}`);
        assert.ok(errors < mostErrors * digits, JSON.stringify(judged));
      } finally {
        judge.close();
      }
    });
  }
});
