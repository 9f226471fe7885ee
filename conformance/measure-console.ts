import { Browser } from './support/browser/browser.ts';
import { liveBatches, turnedPages } from './support/browser/console-load.ts';
import { ConsolePage } from './support/browser/console-page.ts';
import { cleanUp } from './support/clean-up.ts';
import { PlatformProcess } from './support/platform-process.ts';

/** Measures the console in Chromium for `npm run bench -- console`, and prints the milliseconds as JSON. Needs Chromium and sox. */
const [batches = 20, pages = 10] = process.argv.slice(2).map(Number);
const platform = await PlatformProcess.start();
const browser = await Browser.start();
try {
  const console = await ConsolePage.loggedIn(browser, platform, '/setup');
  const waits = await turnedPages(console, pages);
  const { durations } = await liveBatches(console, batches);
  process.stdout.write(JSON.stringify({ durations, waits }));
} finally {
  await cleanUp(
    () => browser.stop(),
    () => platform.stop(),
  );
}
