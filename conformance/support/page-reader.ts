import assert from 'node:assert/strict';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { spawnBound } from './bound-child.ts';
import { listening } from './connected.ts';
import { eachLine, Happenings } from './lines.ts';
import type { PlatformProcess } from './platform-process.ts';
import { freePort, rtpRange } from './ports.ts';
import { serverMain } from './server-main.ts';
import { PastedValues, type Snippet } from './snippets.ts';

const root = join(import.meta.dirname, '../..');

/** Ports of a reader's own programs in the pages; each page gets free ones. */
const readersPorts = ['7000', '8000', '9000'];

interface Running {
  readonly child: ChildProcess;
  readonly said: Happenings<string>;
}

/** Does what a reader of the page does: saves its files, starts its programs and pastes its commands, in a directory of its own. */
export class PageReader {
  readonly #platform: PlatformProcess;
  readonly #directory: string;
  readonly #ports: ReadonlyMap<string, number>;
  readonly #values: PastedValues;
  readonly #programs = new Map<string, Running>();
  /** Programs that run until Ctrl-C, each with the command. */
  readonly #endless = new Map<string, Running>();

  private constructor(
    platform: PlatformProcess,
    directory: string,
    ports: ReadonlyMap<string, number>,
    values: PastedValues,
  ) {
    this.#platform = platform;
    this.#directory = directory;
    this.#ports = ports;
    this.#values = values;
  }

  /** `known` are values that the reader has beside those of the account. */
  static async open(platform: PlatformProcess, known: Readonly<Record<string, string>>): Promise<PageReader> {
    const directory = await mkdtemp(join(tmpdir(), 'reader-'));
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
    // A reader may save programs in the clone: a file *.js is a module there.
    await writeFile(join(directory, 'package.json'), '{"type":"module"}');
    await installPrograms(join(directory, 'bin'));
    const ports = new Map<string, number>();
    for (const port of readersPorts) ports.set(port, await freePort());
    const { authId, authToken } = platform;
    const values = new PastedValues({ auth_id: authId, auth_token: authToken, ...known });
    return new PageReader(platform, directory, ports, values);
  }

  async follow({ language, attributes, text }: Snippet): Promise<void> {
    const here = this.#values.pastedInto(this.#atHome(text));
    if (attributes.file !== undefined) await writeFile(join(this.#directory, attributes.file), here);
    else if (attributes['printed-by'] !== undefined) await this.#printed(attributes['printed-by'], here);
    else if (attributes.background !== undefined) await this.#start(attributes.background, here);
    else if ('server' in attributes) await this.#serve(here);
    else if ('until-stopped' in attributes) this.#endless.set(here, this.#spawn(here));
    else if (language === 'sh') this.#paste(here);
    else if (language === 'json') JSON.parse(here);
  }

  #atHome(text: string): string {
    const own = readersPorts.reduce(
      (read, port) =>
        read.replace(
          new RegExp(`(127\\.0\\.0\\.1:|listen\\(|port: |--port |PORT = )${port}\\b`, 'g'),
          (_, before: string) => `${before}${this.#ports.get(port)}`,
        ),
      text,
    );
    return own
      .replaceAll('http://127.0.0.1:8080', this.#platform.httpUrl)
      .replaceAll(/\/var\/(backups|lib)\//g, `${this.#directory}/`);
  }

  /** As in the terminal into which the reader pasted the line of `npm start`, beside that server. */
  get #environment(): NodeJS.ProcessEnv {
    const { httpUrl, authId, authToken, dataDir } = this.#platform;
    return {
      ...process.env,
      PATH: [join(this.#directory, 'bin'), process.env.PATH].join(delimiter),
      XDG_CONFIG_HOME: join(this.#directory, 'config'),
      JACKFIELD_DATA_DIR: dataDir,
      JACKFIELD: `${httpUrl}/v1/Account/${authId}`,
      AUTH: `${authId}:${authToken}`,
    };
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

  #spawn(command: string, more: NodeJS.ProcessEnv = {}): Running {
    const child = spawnBound('sh', ['-c', command], {
      cwd: this.#directory,
      env: { ...this.#environment, ...more },
    });
    const said = new Happenings<string>();
    eachLine(child.stdout, (line) => said.add(line));
    eachLine(child.stderr, (line) => said.add(line));
    child.once('close', () => said.close(`${command} has ended:\n${said.all.join('\n')}`));
    return { child, said };
  }

  async #start(port: string, command: string): Promise<void> {
    const { child, said } = this.#spawn(`exec ${command}`);
    this.#programs.set(port, { child, said });
    await listening(this.#ports.get(port)!, child).catch((cause) => {
      throw new Error(`${command}\n${said.all.join('\n')}`, { cause });
    });
  }

  /** A server with other settings than that of the page: it starts on ports and data of its own, and ends. */
  async #serve(command: string): Promise<void> {
    const { first, last } = rtpRange();
    const { child, said } = this.#spawn(`exec env ${command}`, {
      JACKFIELD_HTTP_PORT: '0',
      JACKFIELD_SIP_PORT: '0',
      JACKFIELD_RTP_PORTS: `${first}-${last}`,
      JACKFIELD_WEBRTC_PORT: 'off',
      JACKFIELD_DATA_DIR: join(this.#directory, `data-${first}`),
    });
    const closed = once(child, 'close');
    await said.until('readiness', (line) => line.includes('Jackfield is ready.'));
    child.kill();
    await closed;
  }

  async #printed(port: string, text: string): Promise<void> {
    const { said } = this.#programs.get(port)!;
    for (const line of text.trim().split('\n')) await said.until(line, (each) => each.includes(line));
  }

  /** The end of the page: programs that run until Ctrl-C have printed something by now. */
  async end(): Promise<void> {
    for (const [command, { said }] of this.#endless) await said.until(`output of ${command}`, () => true);
  }

  async close(): Promise<void> {
    for (const { child } of [...this.#programs.values(), ...this.#endless.values()]) child.kill();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** The programs that a reader has installed, or runs in a clone. */
async function installPrograms(bin: string): Promise<void> {
  const npm = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim();
  const modules = join(root, 'node_modules/.bin');
  const programs = {
    jackfield: `exec '${process.execPath}' '${serverMain}' "$@"`,
    npx: `[ "$1" != jackfield ] || exec "$@"\nname=$1\nshift\nexec '${modules}'/"$name" "$@"`,
    // `ways-to-start.test.ts` starts the server with npm, from its sources.
    npm: `[ "$*" != start ] || exec jackfield dev\nexec '${npm}' --prefix '${root}' "$@"`,
  };
  await mkdir(bin);
  for (const [name, script] of Object.entries(programs))
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}
