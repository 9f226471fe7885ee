import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnBound } from './bound-child.ts';
import { patienceMs } from './patience.ts';
import { freePort, freeSippMediaPort } from './ports.ts';

const scenarios = join(import.meta.dirname, '../sipp');

export interface SippOptions {
  /** `host:port` that the scenario talks to. */
  readonly remote: string;
  /** Name of a file of conformance/sipp without its ending. */
  readonly scenario: string;
  readonly user: string;
  readonly password: string;
  /** The user of its credentials; `user` when left out. */
  readonly authUser?: string;
  /** What its digest covers, without scheme; `<callee>@<remote>` when left out. */
  readonly authUri?: string;
  /** Values of the scenario's `[name]` keywords. */
  readonly keys?: Readonly<Record<string, string>>;
  readonly transport?: 'u1' | 't1';
  readonly port?: number;
  /** An address of loopback of its own; 127.0.0.1 when left out. */
  readonly address?: string;
  /** How often the scenario runs (once when left out), and how many begin each second. */
  readonly calls?: number;
  readonly perSecond?: number;
  /** Of its only call; sipp's own when left out. */
  readonly callId?: string;
  /** A Call-ID that was used is that of a new call at once, as for a phone that registers again; otherwise its requests are ignored for 33 s. */
  readonly callIdsReturn?: true;
  /** The time limit; 45 s when left out. */
  readonly timeoutSeconds?: number;
}

export interface SippResult {
  readonly code: number | null;
  /** The errors that it printed: unexpected messages, whole. Empty when the scenario went as written. */
  readonly errors: string;
}

/** One sipp process running one scenario once. */
export class Sipp {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #result: Promise<SippResult>;

  private constructor(port: number, child: ChildProcess, directory: string) {
    this.port = port;
    this.#child = child;
    this.#directory = directory;
    this.#result = new Promise((resolve) => child.once('exit', (code) => resolve(this.#read(code))));
  }

  static async start(options: SippOptions): Promise<Sipp> {
    const directory = await mkdtemp(join(tmpdir(), 'sipp-'));
    const port = options.port ?? (await freePort());
    const callee = options.keys?.callee;
    const authUri = options.authUri ?? (callee === undefined ? undefined : `${callee}@${options.remote}`);
    // Port 9 discards audio of phones without a listener (RFC 863).
    const keys = Object.entries({ rtp_port: '9', ...options.keys }).flatMap(([name, value]) => [
      '-key',
      name,
      value,
    ]);
    const child = spawnBound(
      'sipp',
      [
        options.remote,
        ...['-sf', join(scenarios, `${options.scenario}.xml`)],
        ...['-i', options.address ?? '127.0.0.1', '-p', String(port), '-t', options.transport ?? 'u1'],
        ...['-mp', String(await freeSippMediaPort())],
        // The digest covers the Request-URI (RFC 7616 §3.4.6); sipp would leave the callee out of it.
        ...(authUri === undefined ? [] : ['-auth_uri', authUri]),
        ...['-s', options.user, '-au', options.authUser ?? options.user, '-ap', options.password],
        ...[
          '-m',
          String(options.calls ?? 1),
          '-l',
          String(options.calls ?? 1),
          ...(options.perSecond === undefined ? [] : ['-r', String(options.perSecond)]),
          '-nostdin',
          '-timeout',
          String(options.timeoutSeconds ?? 45),
          '-timeout_error',
        ],
        // Under load its watchdog writes an error that does not concern the messages.
        ...['-watchdog_minor_threshold', '60000'],
        ...['-trace_err', '-error_file', join(directory, 'errors')],
        ...['-trace_logs', '-log_file', join(directory, 'log'), ...keys],
        ...(options.callIdsReturn ? ['-deadcall_wait', '0'] : []),
        ...(options.callId === undefined ? [] : ['-cid_str', options.callId]),
      ],
      { cwd: directory, stdio: 'ignore', env: { PATH: process.env.PATH, TERM: 'xterm' } },
    );
    return new Sipp(port, child, directory);
  }

  /** Runs a scenario to its end. */
  static async run(options: SippOptions): Promise<SippResult> {
    const sipp = await Sipp.start(options);
    return sipp.finished();
  }

  finished(): Promise<SippResult> {
    return this.#result;
  }

  /** Waits for the first match in the log of the scenario. */
  async logged(pattern: RegExp): Promise<RegExpExecArray> {
    for (const limit = Date.now() + patienceMs; Date.now() < limit; ) {
      const match = pattern.exec(await this.log());
      if (match !== null) return match;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`sipp has not logged ${pattern}`);
  }

  /** What the scenario has logged so far. */
  log(): Promise<string> {
    return readFile(join(this.#directory, 'log'), 'utf8').catch(() => '');
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
    await this.#result;
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #read(code: number | null): Promise<SippResult> {
    const errors = await readFile(join(this.#directory, 'errors'), 'utf8').catch(() => '');
    return { code, errors };
  }
}
