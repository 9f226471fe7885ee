import type { Page } from 'playwright-core';
import { HeardPage, type PageReport } from './heard-page.ts';
import type { PageServer } from './page-server.ts';

export interface PageOptions {
  /** A file of the folder `page`, without its ending. */
  readonly program: string;
  /** The text of the program, instead of a file: a module as a page of the documentation shows it. */
  readonly source?: string;
  /** The microphone of this page is an oscillator instead of the file of the process. */
  readonly toneHz?: number;
  /** The page knows no candidate over UDP, as behind a network that blocks UDP. */
  readonly isTcpOnly?: boolean;
  /** The page uses no candidate but those of a TURN server. */
  readonly isRelayOnly?: boolean;
  /** The Content-Security-Policy with which the page is served. */
  readonly policy?: string;
}

/** One page of a Chromium. */
export class BrowserPage extends HeardPage {
  readonly page: Page;
  /** Requests and WebSockets to other hosts, without those that a policy of the page refused. None of them had an answer. */
  readonly outside: { readonly url: string; readonly body: string }[] = [];
  /** What the page wrote to its console, and errors that it did not catch. */
  readonly console: string[] = [];

  private constructor(page: Page) {
    super();
    this.page = page;
    const note = (url: string, body = '') => {
      if (/^(https?|wss?):/.test(url) && !isNear(url)) this.outside.push({ url, body });
    };
    page.on('request', (request) => note(request.url(), request.postData() ?? ''));
    page.on('requestfailed', (request) => {
      const index = this.outside.findIndex(({ url }) => url === request.url());
      if (request.failure()?.errorText === 'csp' && index !== -1) this.outside.splice(index, 1);
    });
    page.on('websocket', (socket) => note(socket.url()));
    page.on('console', (message) => this.console.push(message.text()));
    page.on('pageerror', (error) => this.console.push(String(error)));
    page.on('close', () => this.reports.close('the page was closed'));
  }

  static async open(page: Page, server: PageServer, options: PageOptions): Promise<BrowserPage> {
    const { program, source, toneHz, isTcpOnly = false, isRelayOnly = false, policy } = options;
    const opened = new BrowserPage(page);
    await page.exposeFunction('report', (report: PageReport) => opened.reports.add(report));
    if (source !== undefined) server.add(program, source);
    const settings = JSON.stringify({ toneHz, isTcpOnly, isRelayOnly });
    await page.addInitScript(`${await server.bundle('listeners')}\nprogram.listen(${settings});`);
    await page.goto(server.urlOf(program, policy));
    return opened;
  }

  close(): Promise<void> {
    return this.page.close();
  }

  /** Ends the process of the page: it sends no BYE. */
  async crash(): Promise<void> {
    const session = await this.page.context().newCDPSession(this.page);
    const crashed = new Promise<void>((resolve) => this.page.once('crash', () => resolve()));
    // Has no answer: the process is gone.
    session.send('Page.crash').catch(() => {});
    await crashed;
  }

  protected evaluate<Result>(script: string): Promise<Result> {
    return this.page.evaluate(script);
  }
}

function isNear(url: string): boolean {
  return ['127.0.0.1', 'localhost'].includes(new URL(url).hostname);
}
