import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sandboxFaultNames } from '@jackfield/contract';
import { faultNames } from '@jackfield/testing';
import { missingBrowser } from './support/browser/browser.ts';
import type { ConsolePage } from './support/browser/console-page.ts';
import { consoleSuite } from './support/browser/console-suite.ts';
import { codeTo } from './support/verification.ts';

const echo = '+12025550100';

it('a fault of the sandbox has the name that tests of customers know', () => {
  for (const name of sandboxFaultNames) assert.ok(faultNames.includes(name), name);
});

describe('the fault switches of the sandbox in the console', {
  skip: missingBrowser(),
  timeout: 300_000,
}, () => {
  const suite = consoleSuite();
  const open = (t: TestContext) => suite.open(t, '/sandbox');

  /** Presses the switch of a fault, and waits until the page shows its new position. */
  async function press(console: ConsolePage, fault: string, isOn: boolean): Promise<void> {
    await console.button(`Turn ${isOn ? 'on' : 'off'}: ${fault}`).click();
    await console.button(`Turn ${isOn ? 'off' : 'on'}: ${fault}`).waitFor();
  }

  /** Calls the echoing phone, for a document under this path, and waits for the end. */
  async function endedCall(path: string) {
    const { status, body } = await suite.platform.api('POST', 'Call/', {
      from: '+12025550000',
      to: echo,
      answer_url: suite.server.serve(path, '<Response><Hangup/></Response>'),
      hangup_url: suite.server.serve(`${path}/ended`, ''),
    });
    assert.equal(status, 201, JSON.stringify(body));
    const uuid: string = body.request_uuid;
    return suite.platform.until(
      'the record of the call',
      `Call/${uuid}/`,
      ({ end_time: end }) => typeof end === 'string',
    );
  }

  /** Waits until the messages of a call, which are written a moment after it, hold this answer. */
  async function untilRefused(uuid: string, status: number): Promise<void> {
    await suite.platform.until(`an answer ${status}`, `Call/${uuid}/Signalling/`, ({ objects }) =>
      objects.some(({ message }: { message: string }) => message.startsWith(`SIP/2.0 ${status} `)),
    );
  }

  for (const [fault, refusal] of [
    ['carrier-busy', 503],
    ['codec-loss', 488],
  ] as const) {
    it(`the switch ${fault} has calls refused with ${refusal}, until it is turned off`, async (t) => {
      const console = await open(t);
      await press(console, fault, true);
      const refused = await endedCall(`/${fault}`);
      assert.equal(refused.answer_time, null);
      await untilRefused(refused.call_uuid, refusal);
      await console.assertSound();
      await press(console, fault, false);
      const answered = await endedCall(`/${fault}-off`);
      assert.notEqual(answered.answer_time, null);
    });
  }

  it('the switch receiver-down keeps requests from the program for a minute', async (t) => {
    const console = await open(t);
    await console.page.getByLabel('Turn on for').selectOption('a minute');
    await press(console, 'receiver-down', true);
    const { body } = await suite.platform.api('GET', 'Sandbox/Fault/');
    const { ends_at: endsAt } = body.objects.find(({ name }: { name: string }) => name === 'receiver-down');
    const leftMs = Date.parse(endsAt) - Date.now();
    assert.ok(leftMs > 30_000 && leftMs <= 60_000, `${leftMs} ms`);
    const before = suite.server.received.all.length;
    const { call_uuid: uuid } = await endedCall('/down');
    await suite.platform.until('the failed callback', `Callback/?resource=call/${uuid}`, ({ objects }) =>
      objects.some(({ status }: { status: string }) => status !== 'pending'),
    );
    assert.equal(suite.server.received.all.length, before, 'no request has reached the program');
    await press(console, 'receiver-down', false);
    await endedCall('/up');
    await suite.server.asked('/up/ended', before);
    await console.assertSound();
  });

  it('the switch sms-late delays messages by the seconds that the page names', async (t) => {
    const console = await open(t);
    const lateSeconds = 3;
    const recipient = '+14155552671';
    await console.page.getByLabel('Messages are late by (s)').fill(String(lateSeconds));
    await press(console, 'sms-late', true);
    const sentAt = Date.now();
    const { status, body } = await suite.platform.api('POST', 'Verify/Session/', { recipient });
    assert.equal(status, 202, JSON.stringify(body));
    const inbox = await suite.platform.api('GET', `Sandbox/Message/?to=${encodeURIComponent(recipient)}`);
    assert.deepEqual(inbox.body.objects, []);
    const otp = await codeTo(suite.platform, recipient);
    assert.ok(Date.now() - sentAt >= lateSeconds * 1000, 'the message is late');
    await console.page.getByRole('row', { name: /14155552671/ }).waitFor();
    await press(console, 'sms-late', false);
    const confirmed = await suite.platform.api('POST', `Verify/Session/${body.session_uuid}/`, { otp });
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
    await console.assertSound();
  });
});
