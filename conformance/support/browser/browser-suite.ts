import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { CallbackReceiver } from '../callback-receiver.ts';
import { cleanUp } from '../clean-up.ts';
import { PlatformProcess } from '../platform-process.ts';
import { freePort } from '../ports.ts';
import { Browser } from './browser.ts';

/** Variables of a platform's environment. */
export type Settings = Readonly<Record<string, string>>;

export interface BrowserSuite {
  readonly browser: Browser;
  readonly platform: PlatformProcess;
  /** The customer's server. */
  readonly server: CallbackReceiver;
}

export interface BrowserSuiteOptions {
  /** Of the platform; it starts after them. */
  readonly settings?: () => Settings | Promise<Settings>;
  /** Before the first test, when all of the suite runs. */
  readonly prepare?: (suite: BrowserSuite) => Promise<void>;
  /** Ends between the last call and the platform. */
  readonly stop?: () => unknown;
}

/** Settings of a platform that pages with phones call. */
export async function webRtc(): Promise<Settings> {
  return { JACKFIELD_WEBRTC_PORT: String(await freePort()) };
}

/** A platform, a browser and a customer's server, for the tests of the suite that calls this. */
export function browserSuite({ settings, prepare, stop }: BrowserSuiteOptions = {}): BrowserSuite {
  let browser: Browser | undefined;
  let platform: PlatformProcess | undefined;
  let server: CallbackReceiver | undefined;
  const started = <Part>(part: Part | undefined): Part =>
    part ?? assert.fail('the suite starts before its first test');
  const suite: BrowserSuite = {
    get browser() {
      return started(browser);
    },
    get platform() {
      return started(platform);
    },
    get server() {
      return started(server);
    },
  };

  before(async () => {
    platform = await PlatformProcess.start(await settings?.());
    server = await CallbackReceiver.start();
    browser = await Browser.start();
    await prepare?.(suite);
  });

  after(() =>
    cleanUp(
      () => browser?.stop(),
      () => platform?.untilQuiet(),
      () => server?.stop(),
      () => stop?.(),
      () => platform?.stop(),
    ),
  );

  return suite;
}
