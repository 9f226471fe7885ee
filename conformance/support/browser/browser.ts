import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { cleanUp } from '../clean-up.ts';
import { missing } from '../installed.ts';
import { toneFile } from '../tone-file.ts';
import { BrowserPage, type PageOptions } from './browser-page.ts';
import { PageServer } from './page-server.ts';

/** False when Chromium can run here; otherwise the reason with which a test is skipped. */
export function missingBrowser(): false | string {
  return missing('chromium', 'sox');
}

/** The tone of the microphone of a page that names none of its own. */
export const microphoneHz = 440;

/** A headless Chromium with a microphone that plays a tone. Its pages come from loopback; it finds no other host. */
export class Browser {
  readonly #directory: string;
  readonly #context: BrowserContext;
  readonly #server: PageServer;

  private constructor(directory: string, context: BrowserContext, server: PageServer) {
    this.#directory = directory;
    this.#context = context;
    this.#server = server;
  }

  static async start(): Promise<Browser> {
    const directory = await mkdtemp(join(tmpdir(), 'chromium-'));
    const microphone = join(directory, 'microphone.wav');
    // Chromium plays the file again and again; whole periods leave no click at the seam.
    await toneFile(microphone, microphoneHz, 10);
    const context = await chromium.launchPersistentContext(join(directory, 'profile'), {
      executablePath: spawnSync('which', ['chromium']).stdout.toString().trim(),
      chromiumSandbox: false,
      ignoreHTTPSErrors: true,
      permissions: ['microphone'],
      args: [
        '--use-fake-device-for-media-stream',
        `--use-file-for-fake-audio-capture=${microphone}`,
        '--autoplay-policy=no-user-gesture-required',
        // Chromium gathers no candidates on loopback otherwise, and some machines have no other network.
        '--allow-loopback-in-peer-connection',
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      ],
    });
    return new Browser(directory, context, await PageServer.start());
  }

  /** Opens a page. Its program is a file of the folder `page`, bundled, whose exports `BrowserPage.run` calls. */
  async open(options: PageOptions): Promise<BrowserPage> {
    return BrowserPage.open(await this.#context.newPage(), this.#server, options);
  }

  /** Opens an empty page, which goes to the pages of the platform itself. */
  newPage(): Promise<Page> {
    return this.#context.newPage();
  }

  /** Ends all pages, and fails when a process of this Chromium is left. */
  async stop(): Promise<void> {
    await cleanUp(
      () => this.#context.close(),
      () => this.#server.stop(),
      () => this.#untilEnded(),
      () => rm(this.#directory, { recursive: true, force: true }),
    );
  }

  /** The profile is in the command line of each of its processes. */
  async #untilEnded(): Promise<void> {
    const limit = Date.now() + 5_000;
    for (;;) {
      const left = await processesNaming(this.#directory);
      if (left.length === 0) return;
      if (Date.now() > limit) throw new Error(`Processes of Chromium outlive it: ${left.join(', ')}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function processesNaming(text: string): Promise<readonly string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const named = await Promise.all(
    ids.map(async (id) => {
      // A process that has just ended has no such file.
      const commandLine = await readFile(`/proc/${id}/cmdline`, 'latin1').catch(() => '');
      return commandLine.includes(text);
    }),
  );
  return ids.filter((_, index) => named[index]);
}
