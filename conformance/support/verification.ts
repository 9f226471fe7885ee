import assert from 'node:assert/strict';
import type { PlatformProcess } from './platform-process.ts';

/** The code of the only message to this recipient in the sandbox. */
export async function codeTo(platform: PlatformProcess, recipient: string): Promise<string> {
  const path = `Sandbox/Message/?to=${encodeURIComponent(recipient)}`;
  const inbox = await platform.until('the message', path, (body) => body.objects?.length === 1);
  return /\d{4,8}/.exec(inbox.objects[0].text)?.[0] ?? '';
}

/** Starts a verification by message, whose session lives until `confirm` gives its code back. */
export async function startVerification(
  platform: PlatformProcess,
  requested: Readonly<Record<string, string>>,
) {
  const { status, body } = await platform.api('POST', 'Verify/Session/', requested);
  assert.equal(status, 202, JSON.stringify(body));
  return {
    async confirm(): Promise<void> {
      const otp = await codeTo(platform, requested.recipient ?? '');
      const confirmed = await platform.api('POST', `Verify/Session/${body.session_uuid}/`, { otp });
      assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
    },
  };
}
