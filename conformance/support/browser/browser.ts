import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { cleanUp } from '../clean-up.ts';
import { missing } from '../installed.ts';
import { toneFile } from '../tone-file.ts';
import { BrowserPage, type PageOptions } from './browser-page.ts';
import { untilEnded } from './browser-processes.ts';
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

  /** Serves a file to the pages, at a path with a folder; returns its URL. */
  serve(path: string, bytes: Uint8Array): string {
    return this.#server.serve(path, bytes);
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
      () => untilEnded(this.#directory),
      () => rm(this.#directory, { recursive: true, force: true }),
    );
  }
}
