import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, microphoneHz, missingBrowser } from './support/browser/browser.ts';
import type { ConnectionReport } from './support/browser/connection-report.ts';
import { heardToneDb } from './support/heard.ts';

const audible = -35;
const inaudible = -55;

describe('Chromium', { skip: missingBrowser(), timeout: 120_000 }, () => {
  let browser: Browser;

  before(async () => {
    browser = await Browser.start();
  });

  after(() => browser?.stop());

  it('two pages hear the tone of each other, and report what they sent', async () => {
    const [one, other] = [
      await browser.open({ program: 'peer' }),
      await browser.open({ program: 'peer', toneHz: 1000 }),
    ];
    const offer = await one.run<string>('offer');
    await one.run('accept', await other.run<string>('answer', offer));
    const twoSeconds = ({ received }: ConnectionReport) => received.packets > 110;
    const { path, sent } = await one.until('audio of the other page', twoSeconds);
    assert.deepEqual([path.protocol, sent.codec], ['udp', 'audio/opus']);
    assert.ok(sent.packets > 0 && sent.bytes > 0);
    await other.until('audio of the page', twoSeconds);
    const [heardByOne, heardByOther] = [await one.heard(), await other.heard()];
    assert.ok(heardToneDb(heardByOne, 1000, 0.2, 2) > audible);
    assert.ok(heardToneDb(heardByOne, microphoneHz, 0.2, 2) < inaudible);
    assert.ok(heardToneDb(heardByOther, microphoneHz, 0.2, 2) > audible);
    await Promise.all([one.close(), other.close()]);
  });
});
