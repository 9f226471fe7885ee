import type { TestContext } from 'node:test';
import { type BrowserSuite, type BrowserSuiteOptions, browserSuite } from './browser-suite.ts';
import { ConsolePage } from './console-page.ts';

export interface ConsoleSuite extends BrowserSuite {
  /** Opens a page for one test. */
  open(test: TestContext, path?: string): Promise<ConsolePage>;
}

export interface ConsoleSuiteOptions extends Omit<BrowserSuiteOptions, 'prepare'> {
  /** The first page asks for the login: no session of the browser is there. */
  readonly isLoggedOut?: boolean;
}

/** A server and a browser with a session in the console, for the tests of the suite that calls this. */
export function consoleSuite({ isLoggedOut, ...options }: ConsoleSuiteOptions = {}): ConsoleSuite {
  const suite = browserSuite({
    ...options,
    async prepare({ browser, platform }) {
      if (isLoggedOut !== true) await (await ConsolePage.loggedIn(browser, platform)).close();
    },
  });
  return {
    get browser() {
      return suite.browser;
    },
    get platform() {
      return suite.platform;
    },
    get server() {
      return suite.server;
    },
    async open(test, path) {
      const opened = await ConsolePage.open(suite.browser, suite.platform, path);
      test.after(() => opened.close());
      return opened;
    },
  };
}
