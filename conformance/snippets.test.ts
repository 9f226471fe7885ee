import assert from 'node:assert/strict';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { spawnBound } from './support/bound-child.ts';
import { eachLine, Happenings } from './support/lines.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { PastedValues, type Snippet, snippetsOf } from './support/snippets.ts';

const root = join(import.meta.dirname, '..');
const pages = ['README.md', ...globSync('docs/{start,guides,operate}/*.md', { cwd: root }).sort()];
/** Pages whose blocks all name their test or are data. */
const others = [
  ...globSync('docs/**/*.md', { cwd: root, exclude: (name) => name === '.vitepress' }),
  ...['testing', 'stream-kit', 'voice-sdk', 'hosted-sdk'].map((name) => `packages/${name}/README.md`),
]
  .filter((page) => !pages.includes(page))
  .sort();
const run = new Set(['sh']);
/** Languages of data and of output, which nothing runs. */
const shown = new Set(['text', 'json', 'jsonl', 'xml', 'http', 'ini', 'nginx', 'yaml']);

/** Ports of a reader's own programs in the pages; each page gets free ones. */
const readersPorts = ['7000', '8000', '9000'];

/** Does what a reader of the page does: saves its files, starts its programs and pastes its commands, in a directory of its own. */
class Reader {
  readonly #platform: PlatformProcess;
  readonly #directory: string;
  readonly #ports: ReadonlyMap<string, number>;
  readonly #values: PastedValues;
  readonly #programs = new Map<string, { child: ChildProcess; said: Happenings<string> }>();

  private constructor(platform: PlatformProcess, directory: string, ports: ReadonlyMap<string, number>) {
    this.#platform = platform;
    this.#directory = directory;
    this.#ports = ports;
    this.#values = new PastedValues({ auth_id: platform.authId, auth_token: platform.authToken });
  }

  static async open(platform: PlatformProcess): Promise<Reader> {
    const directory = await mkdtemp(join(tmpdir(), 'reader-'));
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
    const ports = new Map<string, number>();
    for (const port of readersPorts) ports.set(port, await freePort());
    return new Reader(platform, directory, ports);
  }

  async follow({ language, attributes, text }: Snippet): Promise<void> {
    const here = this.#values.pastedInto(this.#atHome(text));
    if (attributes.file !== undefined) await writeFile(join(this.#directory, attributes.file), here);
    else if (attributes['printed-by'] !== undefined) await this.#printed(attributes['printed-by'], here);
    else if (attributes.background !== undefined) await this.#start(attributes.background, here);
    else if (run.has(language)) this.#paste(here);
    else if (language === 'json') JSON.parse(here);
  }

  #atHome(text: string): string {
    const own = readersPorts.reduce(
      (read, port) =>
        read.replace(
          new RegExp(`(127\\.0\\.0\\.1:|listen\\(|port: |PORT = )${port}\\b`, 'g'),
          (_, before: string) => `${before}${this.#ports.get(port)}`,
        ),
      text,
    );
    return own.replaceAll('http://127.0.0.1:8080', this.#platform.httpUrl);
  }

  get #environment(): NodeJS.ProcessEnv {
    const { httpUrl, authId, authToken } = this.#platform;
    return { ...process.env, JACKFIELD: `${httpUrl}/v1/Account/${authId}`, AUTH: `${authId}:${authToken}` };
  }

  /** An answer that is no success ends the commands, as a reader would stop there. */
  #paste(commands: string): void {
    const script = `set -eu\ncurl() { command curl -sS --fail-with-body "$@"; }\n${commands}`;
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script], {
      cwd: this.#directory,
      env: this.#environment,
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.equal(status, 0, `${commands}\n${stdout}${stderr}`);
    this.#values.learn(stdout);
  }

  async #start(port: string, command: string): Promise<void> {
    const child = spawnBound('sh', ['-c', `exec ${command}`], {
      cwd: this.#directory,
      env: this.#environment,
    });
    const said = new Happenings<string>();
    eachLine(child.stdout, (line) => said.add(line));
    eachLine(child.stderr, (line) => said.add(line));
    this.#programs.set(port, { child, said });
    const ended = new Promise<never>((_, reject) =>
      child.once('exit', () => reject(new Error(`${command}\n${said.all.join('\n')}`))),
    );
    ended.catch(() => {});
    await Promise.race([listening(this.#ports.get(port)!), ended]);
  }

  async #printed(port: string, text: string): Promise<void> {
    const { said } = this.#programs.get(port)!;
    for (const line of text.trim().split('\n')) await said.until(line, (each) => each.includes(line));
  }

  async close(): Promise<void> {
    for (const { child } of this.#programs.values()) child.kill();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resolves when a program listens; a refused connection is tried again. */
async function listening(port: number): Promise<void> {
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isMissing(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0;
}

describe('the commands and programs of a page', { timeout: 170_000 }, () => {
  let platform: PlatformProcess;

  before(async () => {
    platform = await PlatformProcess.start();
  });
  after(async () => {
    await platform.api('DELETE', 'Call/');
    await platform.untilQuiet();
    await platform.stop();
  });

  for (const page of pages) {
    const snippets = snippetsOf(readFileSync(join(root, page), 'utf8'));

    it(`${page}: each block is run here, by the test that it names, or is data`, () => {
      assertKnown(page, snippets, run);
    });

    it(`${page}: a reader who follows it succeeds`, async (t: TestContext) => {
      const reader = await Reader.open(platform);
      t.after(() => reader.close());
      for (const snippet of snippets) {
        const { 'run-by': test, needs } = snippet.attributes;
        if (test !== undefined || 'not-run' in snippet.attributes) continue;
        if (needs !== undefined && isMissing(needs)) {
          t.diagnostic(`${page}:${snippet.line} ${needs} is not installed`);
          continue;
        }
        await reader.follow(snippet).catch((error: Error) => {
          error.message = `${page}:${snippet.line} ${error.message}`;
          throw error;
        });
      }
    });
  }
});

it('each block of the other pages names its test, or is data', () => {
  for (const page of others) {
    assertKnown(page, snippetsOf(readFileSync(join(root, page), 'utf8')), new Set());
  }
});

function assertKnown(page: string, snippets: readonly Snippet[], languages: ReadonlySet<string>): void {
  for (const { line, language, attributes } of snippets) {
    const test = attributes['run-by'];
    if (test !== undefined) assert.ok(existsSync(join(root, test)), `${page}:${line} there is no ${test}`);
    const isKnown =
      test !== undefined || languages.has(language) || shown.has(language) || attributes.file !== undefined;
    assert.ok(isKnown || 'not-run' in attributes, `${page}:${line} nothing runs this ${language || 'block'}`);
  }
}
