import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import type { PlatformProcess } from '../platform-process.ts';
import type { Browser } from './browser.ts';

/** The first build of the console in a fresh clone, on a loaded machine. */
const buildMs = 60_000;

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** A page of the console in Chromium, as its reader has it. */
export class ConsolePage {
  readonly page: Page;
  /** Faults that the page did not catch, and refusals by its Content-Security-Policy. */
  readonly faults: string[] = [];
  /** Requests to other hosts than the platform. */
  readonly outside: string[] = [];
  readonly #base: string;

  private constructor(page: Page, base: string) {
    this.page = page;
    this.#base = base;
    page.on('pageerror', (error) => this.faults.push(String(error)));
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) this.faults.push(message.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      if (/^https?:/.test(url) && !url.startsWith(base)) this.outside.push(url);
    });
  }

  /** Opens a path below `/console`; the session of the browser is that of an earlier page. */
  static async open(
    browser: Browser,
    platform: Pick<PlatformProcess, 'httpUrl'>,
    path = '/',
  ): Promise<ConsolePage> {
    const opened = new ConsolePage(await browser.newPage(), platform.httpUrl);
    await opened.go(path);
    return opened;
  }

  /** Opens the console and logs in with the credentials of the account, for all pages of this browser. */
  static async loggedIn(browser: Browser, platform: PlatformProcess, path = '/'): Promise<ConsolePage> {
    const opened = await ConsolePage.open(browser, platform, path);
    await opened.logIn(platform.authId, platform.authToken);
    return opened;
  }

  /** Resolves with the next request for such a URL, which has no answer: it is neither continued nor aborted. */
  leaveUnanswered(urls: string): Promise<void> {
    return new Promise((resolve) => {
      void this.page.route(urls, () => resolve(), { times: 1 });
    });
  }

  async go(path: string): Promise<void> {
    await this.page.goto(`${this.#base}/console${path}`);
    await this.page.locator('#console main').waitFor({ timeout: buildMs });
  }

  async logIn(authId: string, authToken: string): Promise<void> {
    await this.page.getByLabel('auth_id').fill(authId);
    await this.page.getByLabel('auth_token').fill(authToken);
    await this.button('Log in').click();
    await this.button('Log out').waitFor();
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, ...(typeof name === 'string' ? { exact: true } : {}) });
  }

  heading(name: string | RegExp): Locator {
    return this.page.getByRole('heading', { name });
  }

  /**
   * Goes to another screen of the open page, as a link does: the page is not loaded anew. The screen before stays
   * until the code of the next is loaded, so its going is waited for.
   */
  async show(path: string): Promise<void> {
    await this.page.evaluate(`
      globalThis.screenBefore = document.querySelector('main > *');
      globalThis.pathBefore = location.pathname;
      history.pushState(null, '', ${JSON.stringify(`/console${path}`)});
      dispatchEvent(new PopStateEvent('popstate'));
    `);
    await this.until('location.pathname === pathBefore || !screenBefore?.isConnected');
  }

  /** Presses Tab until the element has the focus, and fails when its reader cannot see that. */
  async tabTo(target: Locator): Promise<void> {
    await target.first().waitFor();
    for (let pressed = 0; pressed < 200; pressed++) {
      await this.page.keyboard.press('Tab');
      if (!(await this.hasFocus(target))) continue;
      const outline = await this.page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
      assert.notEqual(outline, 'none', `the focus of ${target} is not visible`);
      return;
    }
    assert.fail(`Tab does not reach ${target}`);
  }

  async hasFocus(target: Locator): Promise<boolean> {
    return (await target.and(this.page.locator(':focus')).count()) > 0;
  }

  /** `tabTo`, then a key. */
  async press(target: Locator, key = 'Enter'): Promise<void> {
    await this.tabTo(target);
    await this.page.keyboard.press(key);
  }

  /** Waits for an expression of the page; the policy of the page refuses what Playwright itself waits with. */
  async until(expression: string): Promise<void> {
    await this.page.evaluate(`new Promise((resolve) => {
      const look = () => (${expression} ? resolve() : setTimeout(look, 20));
      look();
    })`);
  }

  /** Fails with the rules of accessibility that the page breaks in light or dark colours, and the elements that break them. */
  async assertAccessible(): Promise<void> {
    // The code of a screen is loaded when the screen is opened; its heading comes with it.
    await this.page.locator('h1').first().waitFor();
    if (!(await this.page.evaluate<boolean>(`'axe' in window`))) await this.page.evaluate(axe.source);
    assert.deepEqual(await this.#violations(''), []);
    await this.page.emulateMedia({ colorScheme: 'dark' });
    // Colours are all that differs.
    assert.deepEqual(await this.#violations(`runOnly: ['color-contrast']`), []);
    await this.page.emulateMedia({ colorScheme: 'light' });
  }

  async #violations(options: string): Promise<readonly string[]> {
    // What axe preloads are copies of the style sheets, which the page's policy refuses.
    const { violations } = (await this.page.evaluate(
      `axe.run(document, { preload: false, ${options} })`,
    )) as AxeResult;
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }

  /** What holds for each screen at the end of its test. */
  async assertSound(): Promise<void> {
    await this.assertAccessible();
    assert.deepEqual(this.faults, []);
    assert.deepEqual(this.outside, []);
  }

  close(): Promise<void> {
    return this.page.close();
  }
}
