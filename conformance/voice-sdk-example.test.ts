import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { it } from 'node:test';
import { spawnBound } from './support/bound-child.ts';
import { Browser, microphoneHz, missingBrowser } from './support/browser/browser.ts';
import { cleanUp } from './support/clean-up.ts';
import { eachLine, Happenings } from './support/lines.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { blocksRunBy } from './support/snippets.ts';

it('the page of `npm run example phone` registers at a running server and hears itself from the echo phone; its endpoint ends with it', {
  skip: missingBrowser(),
  timeout: 300_000,
}, async (t) => {
  const browser = await Browser.start();
  const platform = await PlatformProcess.start({ JACKFIELD_WEBRTC_PORT: String(await freePort()) });
  t.after(() =>
    cleanUp(
      () => browser.stop(),
      () => platform.untilQuiet(),
      () => platform.stop(),
    ),
  );
  const lines = new Happenings<string>();
  const [block] = blocksRunBy('docs/start/your-phone.md', import.meta.filename);
  const [, name = ''] = /^npm run example (\w+)\n$/.exec(block!.text) ?? assert.fail(block!.text);
  const example = spawnBound(
    process.execPath,
    [join(import.meta.dirname, '../tools/examples/run.ts'), name],
    {
      env: {
        ...process.env,
        JACKFIELD: `${platform.httpUrl}/v1/Account/${platform.authId}`,
        AUTH: `${platform.authId}:${platform.authToken}`,
      },
    },
  );
  eachLine(example.stdout!, (line) => lines.add(line));
  const greeting = await lines.until('its address', (line) => line.startsWith('A page with a phone: '));
  const opened = await browser.open({ program: 'peer' });
  const { page } = opened;
  await page.goto(greeting.slice('A page with a phone: '.length));
  await page.getByText('The phone is registered.').waitFor();
  await page.getByRole('button', { name: 'Call' }).click();
  await page.getByText('The call is connected.').waitFor();
  await opened.untilHeard(microphoneHz);
  await page.getByRole('button', { name: 'Hold' }).click();
  await page.locator('#hold[aria-pressed=true]').waitFor();
  await page.getByRole('button', { name: 'Hang up' }).click();
  await page.getByText('The call has ended: local.').waitFor();
  await opened.close();
  const closed = once(example, 'exit');
  example.kill('SIGTERM');
  await closed;
  const { body } = await platform.api('GET', 'Endpoint/');
  assert.deepEqual(body.objects, []);
});
