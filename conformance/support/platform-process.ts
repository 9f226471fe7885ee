import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnswerJudge, judgeOf } from '@jackfield/testkit/answered-as-documented';
import { spawnBound } from './bound-child.ts';
import { cleanUp } from './clean-up.ts';
import { compileCache } from './compile-cache.ts';
import { eachLine, Happenings } from './lines.ts';
import { patienceMs } from './patience.ts';
import { freeServerPort, rtpRange } from './ports.ts';
import { servedDocument } from './served-document.ts';
import { serverMain } from './server-main.ts';

const authId = 'MACONFORMANCE0000000';
const authToken = 'Y29uZm9ybWFuY2Vjb25mb3JtYW5jZWNvbmZvcm1h';

const metricsToken = 'metrics-of-a-conformance-test';

const basic = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;

/** What the platform logs when it is ready: the addresses that it really got. */
interface Ready {
  readonly http: { readonly host: string; readonly port: number; readonly isHttps?: boolean };
  /** With JACKFIELD_OPERATOR_PORT. */
  readonly operator?: { readonly host: string; readonly port: number };
  readonly sip: { readonly host: string; readonly port: number };
  readonly sips?: { readonly host: string; readonly port: number };
}

/** An answer of the API: its body is whatever JSON says, and a test asserts on what it needs. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a black box test knows none of our types
  readonly body: any;
}

/** By the settings that decide which operations exist: the processes of a test file mostly share them. */
const judges = new Map<string, Promise<AnswerJudge>>();
const noJudge: AnswerJudge = () => undefined;

const mediaWorkers = process.env.JACKFIELD_MEDIA_WORKERS;

/** Jackfield as its user runs it: the real program in a process of its own, on free ports and in a directory of its own. */
export class PlatformProcess {
  readonly dataDir: string;
  readonly rtpPorts = rtpRange();
  readonly #environment: Readonly<Record<string, string>>;
  readonly log = new Happenings<Record<string, unknown>>();
  #child: ChildProcess;
  #ready: Ready = { http: { host: '', port: 0 }, sip: { host: '', port: 0 } };

  private constructor(dataDir: string, environment: Readonly<Record<string, string>>, sipPort: number) {
    this.dataDir = dataDir;
    this.#environment = { JACKFIELD_SIP_PORT: String(sipPort), ...environment };
    this.#child = this.#spawn();
  }

  /** `prepare` fills the data directory before the first start. */
  static async start(
    environment: Readonly<Record<string, string>> = {},
    prepare?: (dataDir: string) => Promise<void>,
  ): Promise<PlatformProcess> {
    const dataDir = await mkdtemp(join(tmpdir(), 'jackfield-'));
    await prepare?.(dataDir);
    const platform = new PlatformProcess(dataDir, environment, await freeServerPort());
    try {
      await platform.#untilReady(0);
    } catch (error) {
      // A process that stays would keep the test's own process alive.
      await cleanUp(
        () => platform.#kill(),
        () => rm(dataDir, { recursive: true, force: true }),
      );
      throw error;
    }
    return platform;
  }

  get authId(): string {
    return authId;
  }

  get authToken(): string {
    return authToken;
  }

  /** The operator's listener, where the environment names its port. */
  get operatorUrl(): string {
    const { host, port } = this.#ready.operator ?? assert.fail('JACKFIELD_OPERATOR_PORT is not set');
    return `http://${host}:${port}`;
  }

  get sipAddress(): string {
    return `${this.#ready.sip.host}:${this.#ready.sip.port}`;
  }

  /** SIP over TLS, where the environment names a certificate. */
  get sipsPort(): number {
    return this.#ready.sips?.port ?? 0;
  }

  get sipPort(): number {
    return this.#ready.sip.port;
  }

  /** Creates an endpoint and returns the username under which its phone registers. */
  async createEndpoint(name: string, password: string): Promise<{ username: string; endpointId: string }> {
    const { status, body } = await this.api('POST', 'Endpoint/', { username: name, password, alias: name });
    if (status !== 201) throw new Error(`The endpoint was refused: ${JSON.stringify(body)}`);
    return { username: body.username, endpointId: body.endpoint_id };
  }

  /** One request of the API; the path is relative to the account. The answer is as the document of the API says, or the test fails. */
  async api(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.httpUrl}/v1/Account/${authId}/${path}`, {
      method,
      headers: {
        authorization: basic,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const judge = await this.#judge();
    const fault = judge({
      method,
      url: new URL(response.url).pathname,
      status: response.status,
      contentType: response.headers.get('content-type') ?? undefined,
      text,
    });
    assert.equal(fault, undefined, fault);
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** Every answer is held against the document that the process serves, where it serves one. */
  #judge(): Promise<AnswerJudge> {
    const { JACKFIELD_SANDBOX = '', JACKFIELD_DOCS = '' } = this.#environment;
    const shape = `${JACKFIELD_SANDBOX} ${JACKFIELD_DOCS}`;
    let judge = judges.get(shape);
    if (judge === undefined) {
      judge = servedDocument(this.httpUrl, shape).then((document) =>
        document === undefined ? noJudge : judgeOf(document),
      );
      judges.set(shape, judge);
    }
    return judge;
  }

  /** A file behind the API's authentication. */
  async download(url: string): Promise<Uint8Array> {
    const path = new URL(url).pathname;
    const response = await fetch(`${this.httpUrl}${path}`, { headers: { authorization: basic } });
    if (response.status !== 200) throw new Error(`${url} was answered with ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  /** Repeats the request until the answer is as expected; after the limit it rejects with the last answer. */
  async until(
    what: string,
    path: string,
    reached: (body: Answer['body']) => boolean | Promise<boolean>,
  ): Promise<Answer['body']> {
    const limit = Date.now() + patienceMs;
    for (;;) {
      const { body } = await this.api('GET', path);
      if (await reached(body)) return body;
      if (Date.now() > limit) throw new Error(`${what} did not come: ${JSON.stringify(body)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  get httpUrl(): string {
    const scheme = this.#ready.http.isHttps === true ? 'https' : 'http';
    return `${scheme}://${this.#ready.http.host}:${this.#ready.http.port}`;
  }

  /** All of /metrics, as its operator's Prometheus reads it. */
  async scrape(): Promise<string> {
    const headers = { authorization: `Bearer ${metricsToken}` };
    return (await fetch(`${this.httpUrl}/metrics`, { headers })).text();
  }

  /** Values of /metrics whose names begin so, labels included as they stand: `jackfield_sessions{kind="document"}`. */
  async metrics(prefix: string): Promise<Readonly<Record<string, number>>> {
    const lines = (await this.scrape()).split('\n').filter((line) => line.startsWith(prefix));
    return Object.fromEntries(
      lines.map((line): [string, number] => {
        const space = line.lastIndexOf(' ');
        return [line.slice(0, space), Number(line.slice(space + 1))];
      }),
    );
  }

  /** How many there are of all that ends with a call, from outside. */
  async census(): Promise<Readonly<Record<string, number>>> {
    const all = await this.metrics('jackfield_');
    return Object.fromEntries(
      Object.entries(all).filter(([name]) =>
        /^jackfield_(?:(?:sip|carrier|trunk)_legs|sessions\{.*\}|media_(?:legs|mixes|plays|captures|sockets|leaks)|recorder_files|recognitions)$/.test(
          name,
        ),
      ),
    );
  }

  /** Waits until no call is left, and fails with what is left; by default for less than the 32 s of a transaction, which keeps no call. */
  async untilQuiet(limitMs = 15_000): Promise<void> {
    const limit = Date.now() + limitMs;
    for (;;) {
      const census = await this.census();
      const alive = Object.entries(census).filter(([, value]) => value !== 0);
      if (alive.length === 0 && census.jackfield_media_sockets === 0) return;
      if (Date.now() > limit) throw new Error(`Something outlives its call: ${JSON.stringify(alive)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** kill -9, then the same program on the same data directory. */
  async killAndRestart(): Promise<void> {
    await this.kill();
    await this.startAgain();
  }

  /** kill -9; `startAgain` follows. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** SIGTERM; resolves with the exit code. `startAgain` follows. */
  end(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  /** The same program on the same data directory and SIP port. */
  async startAgain(): Promise<void> {
    const from = this.log.all.length;
    this.#child = this.#spawn();
    await this.#untilReady(from);
  }

  get pid(): number {
    return this.#child.pid ?? assert.fail('The process has not started.');
  }

  /** Sends a signal and waits for nothing. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** SIGTERM, or these signals one after another; resolves with the exit code. */
  async stop(...signals: readonly NodeJS.Signals[]): Promise<number | null> {
    const code = await this.#end(...(signals.length === 0 ? (['SIGTERM'] as const) : signals));
    await rm(this.dataDir, { recursive: true, force: true });
    return code;
  }

  #spawn(): ChildProcess {
    const child = spawnBound(process.execPath, [serverMain, 'dev'], {
      cwd: this.dataDir,
      env: {
        PATH: process.env.PATH,
        ...compileCache,
        JACKFIELD_HTTP_HOST: '127.0.0.1',
        JACKFIELD_HTTP_PORT: '0',
        JACKFIELD_SIP_HOST: '127.0.0.1',
        JACKFIELD_RTP_PORTS: `${this.rtpPorts.first}-${this.rtpPorts.last}`,
        // Servers of several tests run beside one another: the tests of browsers name a port.
        JACKFIELD_WEBRTC_PORT: 'off',
        // For a run of the whole suite with several media threads.
        ...(mediaWorkers === undefined ? {} : { JACKFIELD_MEDIA_WORKERS: mediaWorkers }),
        JACKFIELD_DATA_DIR: this.dataDir,
        JACKFIELD_AUTH_ID: authId,
        JACKFIELD_AUTH_TOKEN: authToken,
        // Tests send requests, and repeat those whose answer they await, as fast as the machine allows.
        JACKFIELD_HTTP_REQUESTS: '1000000',
        // The sandbox serves them to every client, as its tests expect.
        ...(this.#environment.JACKFIELD_SANDBOX === 'false' ? { JACKFIELD_METRICS_TOKEN: metricsToken } : {}),
        ...this.#environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    eachLine(child.stdout, (line) => this.#take(line));
    eachLine(child.stderr, (line) => this.#take(line));
    child.once('exit', (code, signal) => this.log.add({ message: 'exit', code, signal }));
    return child;
  }

  #take(line: string): void {
    try {
      this.log.add(JSON.parse(line));
    } catch {
      this.log.add({ message: line });
    }
  }

  async #untilReady(from: number): Promise<void> {
    const ready = await this.log.until(
      'readiness',
      (line) => line.message === 'Jackfield is ready.' || line.message === 'exit',
      { from, limitMs: 150_000 },
    );
    if (ready.message === 'exit') throw new Error(`It ended at start: ${JSON.stringify(this.log.all)}`);
    this.#ready = ready as unknown as Ready;
  }

  async #kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.#end('SIGKILL');
  }

  #end(...signals: readonly NodeJS.Signals[]): Promise<number | null> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) {
      const last = this.log.all.slice(-20).map((line) => JSON.stringify(line));
      return Promise.reject(new Error(`It had ended by itself. Its last lines:\n${last.join('\n')}`));
    }
    return new Promise((resolve) => {
      child.once('exit', (code) => resolve(code));
      for (const signal of signals) child.kill(signal);
    });
  }
}
