import assert from 'node:assert/strict';
import { after, before, type TestContext } from 'node:test';
import { cleanUp } from '../clean-up.ts';
import { PlatformProcess } from '../platform-process.ts';
import { freePort } from '../ports.ts';
import { Browser } from './browser.ts';
import { ConsolePage } from './console-page.ts';

export interface ConsoleSuite {
  readonly browser: Browser;
  readonly platform: PlatformProcess;
  /** Opens a page for one test. */
  open(test: TestContext, path?: string): Promise<ConsolePage>;
}

export interface ConsoleSuiteOptions {
  /** The pages are phones as well. */
  readonly webRtc?: boolean;
  /** The first page asks for the login: no session of the browser is there. */
  readonly isLoggedOut?: boolean;
  /** Ends between the last call and the platform. */
  readonly stop?: () => unknown;
}

/** A server and a browser with a session in the console, for the tests of the suite that calls this. */
export function consoleSuite({ webRtc, isLoggedOut, stop }: ConsoleSuiteOptions = {}): ConsoleSuite {
  let browser: Browser | undefined;
  let platform: PlatformProcess | undefined;
  const started = <Part>(part: Part | undefined): Part =>
    part ?? assert.fail('the suite starts before its first test');

  before(async () => {
    platform = await PlatformProcess.start(
      webRtc === true ? { JACKFIELD_WEBRTC_PORT: String(await freePort()) } : {},
    );
    browser = await Browser.start();
    if (isLoggedOut !== true) await (await ConsolePage.loggedIn(browser, platform)).close();
  });

  after(() =>
    cleanUp(
      () => browser?.stop(),
      () => platform?.untilQuiet(),
      () => stop?.(),
      () => platform?.stop(),
    ),
  );

  return {
    get browser() {
      return started(browser);
    },
    get platform() {
      return started(platform);
    },
    async open(test, path) {
      const opened = await ConsolePage.open(started(browser), started(platform), path);
      test.after(() => opened.close());
      return opened;
    },
  };
}
