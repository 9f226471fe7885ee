import type { Page } from 'playwright-core';
import type { Sound } from '../heard.ts';
import { Happenings } from '../lines.ts';
import type { ConnectionReport } from './connection-report.ts';
import type { PageServer } from './page-server.ts';

export interface PageOptions {
  /** A file of the folder `page`, without its ending. */
  readonly program: string;
  /** The microphone of this page is an oscillator instead of the file of the process. */
  readonly toneHz?: number;
  /** The page knows no candidate over UDP, as behind a network that blocks UDP. */
  readonly isTcpOnly?: boolean;
  /** The page uses no candidate but those of a TURN server. */
  readonly isRelayOnly?: boolean;
  /** The Content-Security-Policy with which the page is served. */
  readonly policy?: string;
}

/** What a program reports by the global `report`, in plain data. */
export interface PageReport {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** One page of a Chromium: runs a program, and hears and measures its peer connections, whichever library made them. */
export class BrowserPage {
  readonly page: Page;
  /** What the program has reported. */
  readonly reports = new Happenings<PageReport>();
  /** Requests and WebSockets to other hosts, without those that a policy of the page refused. None of them had an answer. */
  readonly outside: { readonly url: string; readonly body: string }[] = [];
  /** What the page wrote to its console, and errors that it did not catch. */
  readonly console: string[] = [];

  private constructor(page: Page) {
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
    const { program, toneHz, isTcpOnly = false, isRelayOnly = false, policy } = options;
    const opened = new BrowserPage(page);
    await page.exposeFunction('report', (report: PageReport) => opened.reports.add(report));
    const settings = JSON.stringify({ toneHz, isTcpOnly, isRelayOnly });
    await page.addInitScript(`${await server.bundle('listeners')}\nprogram.listen(${settings});`);
    await page.goto(server.urlOf(program, policy));
    return opened;
  }

  /** Calls a function that the program exports, with plain data, and resolves with what it returns. */
  run<Result = void>(name: string, ...args: readonly unknown[]): Promise<Result> {
    return this.page.evaluate(`program.${name}(...${JSON.stringify(args)})`);
  }

  /** The last two seconds that came from the other side, of the newest connection or of one in the order of their creation. */
  async heard(connection = -1): Promise<Sound> {
    const text = await this.#listeners<string>(`heard(${connection})`);
    const bytes = Buffer.from(text, 'base64');
    const samples = new Int16Array(bytes.length / 2);
    for (let index = 0; index < samples.length; index++) samples[index] = bytes.readInt16LE(2 * index);
    return { sampleRate: 16_000, samples };
  }

  /** Measures of all peer connections of the page by getStats, in the order of their creation. */
  connections(): Promise<readonly ConnectionReport[]> {
    return this.#listeners('connections()');
  }

  /** Repeats a look at the newest connection until it is as expected; rejects with the last one. */
  async until(what: string, reached: (report: ConnectionReport) => boolean): Promise<ConnectionReport> {
    const limit = Date.now() + 15_000;
    for (;;) {
      const last = (await this.connections()).at(-1);
      if (last !== undefined && reached(last)) return last;
      if (Date.now() > limit) throw new Error(`${what} did not come: ${JSON.stringify(last)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  close(): Promise<void> {
    return this.page.close();
  }

  #listeners<Result>(call: string): Promise<Result> {
    return this.page.evaluate(`listeners.${call}`);
  }
}

function isNear(url: string): boolean {
  return ['127.0.0.1', 'localhost'].includes(new URL(url).hostname);
}
