import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, type Page, type Browser as Puppet } from 'puppeteer-core';
import { cleanUp } from '../clean-up.ts';
import { missing } from '../installed.ts';
import type { PageOptions } from './browser-page.ts';
import { untilEnded } from './browser-processes.ts';
import { HeardPage, type PageReport } from './heard-page.ts';
import { PageServer } from './page-server.ts';

/** False when Firefox can run here; otherwise the reason with which a test is skipped. */
export function missingFirefox(): false | string {
  return missing('firefox-esr');
}

/** A headless Firefox, driven by WebDriver BiDi. Its pages come from loopback, and their microphones are oscillators. */
export class Firefox {
  readonly #directory: string;
  readonly #browser: Puppet;
  readonly #server: PageServer;

  private constructor(directory: string, browser: Puppet, server: PageServer) {
    this.#directory = directory;
    this.#browser = browser;
    this.#server = server;
  }

  static async start(): Promise<Firefox> {
    const directory = await mkdtemp(join(tmpdir(), 'firefox-'));
    const browser = await launch({
      browser: 'firefox',
      executablePath: spawnSync('which', ['firefox-esr']).stdout.toString().trim(),
      userDataDir: join(directory, 'profile'),
      // Firefox refuses to run in the home directory of another user.
      env: { ...process.env, HOME: directory },
      extraPrefsFirefox: {
        'media.autoplay.default': 0,
        // A machine without a sound card: WebAudio stands still otherwise.
        'media.cubeb.force_mock_context': true,
        'media.cubeb.sandbox': false,
        // Firefox gathers no candidates on loopback otherwise, which it pairs with no other one: the page needs both.
        'media.peerconnection.ice.loopback': true,
        'permissions.default.microphone': 1,
      },
    });
    return new Firefox(directory, browser, await PageServer.start());
  }

  /** Opens a page. Its program is a file of the folder `page`, bundled, whose exports `run` calls. */
  async open({ program, ...options }: FirefoxPageOptions): Promise<FirefoxPage> {
    return FirefoxPage.open(await this.#browser.newPage(), this.#server, { program, ...options });
  }

  /** Ends all pages, and fails when a process of this Firefox is left. */
  async stop(): Promise<void> {
    await cleanUp(
      () => this.#browser.close(),
      () => this.#server.stop(),
      () => untilEnded(this.#directory),
      () => rm(this.#directory, { recursive: true, force: true }),
    );
  }
}

type FirefoxPageOptions = Pick<PageOptions, 'program' | 'toneHz' | 'isTcpOnly'>;

/** One page of a Firefox. */
export class FirefoxPage extends HeardPage {
  readonly #page: Page;

  private constructor(page: Page) {
    super();
    this.#page = page;
  }

  static async open(page: Page, server: PageServer, options: FirefoxPageOptions): Promise<FirefoxPage> {
    const { program, toneHz = 440, isTcpOnly = false } = options;
    const opened = new FirefoxPage(page);
    await page.exposeFunction('report', (report: PageReport) => opened.reports.add(report));
    const settings = JSON.stringify({ toneHz, isTcpOnly, isRelayOnly: false });
    await page.evaluateOnNewDocument(`${await server.bundle('listeners')}\nprogram.listen(${settings});`);
    await page.goto(server.urlOf(program));
    return opened;
  }

  async close(): Promise<void> {
    await this.#page.close();
    this.reports.close('the page was closed');
  }

  protected async evaluate<Result>(script: string): Promise<Result> {
    return (await this.#page.evaluate(script)) as Result;
  }
}
