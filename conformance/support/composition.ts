import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnBound } from './bound-child.ts';
import type { Podman } from './podman.ts';

const triedAgainMs = 100;

/** The names in a file of compose. */
export interface ComposedNames {
  /** The directory of the file, which compose names containers and volumes after. */
  readonly project: string;
  /** Where phones register. */
  readonly sipAddress: string;
  /** Services that run Jackfield, each with the volume of its data. */
  readonly servers: Readonly<Record<string, string>>;
}

/** What a `compose.yaml` of `deploy/` runs, under podman's service. */
export class Composition {
  readonly sipAddress: string;
  readonly #podman: Podman;
  readonly #names: ComposedNames;
  readonly #service: ChildProcess;
  #authority: string | undefined;
  #account: { readonly path: string; readonly basic: string } | undefined;

  private constructor(podman: Podman, names: ComposedNames, service: ChildProcess) {
    this.sipAddress = names.sipAddress;
    this.#podman = podman;
    this.#names = names;
    this.#service = service;
  }

  /** Starts the service, to which compose speaks. */
  static async start(podman: Podman, names: ComposedNames): Promise<Composition> {
    const service = ['system', 'service', '--time=0', `unix://${podman.socket}`];
    const started = spawnBound('podman', service, { env: podman.env, stdio: 'ignore' });
    while (!existsSync(podman.socket)) await sleep(triedAgainMs);
    return new Composition(podman, names, started);
  }

  async end(): Promise<void> {
    await ended(this.#service);
    // The next one waits for a socket of its own.
    rmSync(this.#podman.socket, { force: true });
  }

  /** Runs the health check of the database until something has come up that waits for it. */
  async whileChecked(comesUp: Promise<unknown>): Promise<void> {
    const checks = `until podman healthcheck run ${this.#container('database')}; do sleep 1; done`;
    const program = spawnBound('sh', ['-c', checks], { env: this.#podman.env, stdio: 'ignore' });
    await comesUp.finally(() => ended(program));
  }

  /** The names of its services that run, sorted. */
  running(): readonly string[] {
    const label = 'com.docker.compose.service';
    const names = this.#podman.run('ps', `--format={{index .Labels "${label}"}}`);
    return names
      .split('\n')
      .filter((name) => name !== '')
      .sort();
  }

  health(service: string): string {
    return this.inspect(service, '{{.State.Health.Status}}');
  }

  /** Fails unless the health check of this service succeeds now. */
  assertHealthy(service: string): void {
    this.#podman.run('healthcheck', 'run', this.#container(service));
  }

  /** What podman knows of the container, in a format of Go. */
  inspect(service: string, format: string): string {
    return this.#podman.run('inspect', `--format=${format}`, this.#container(service));
  }

  log(service: string): string {
    return this.#podman.run('logs', this.#container(service));
  }

  /** As `kill -9` does from outside of the container. */
  kill(service: string): void {
    process.kill(Number(this.inspect(service, '{{.State.Pid}}')), 'SIGKILL');
  }

  /** PEM of the authority that the proxy has made for itself. */
  authority(): string {
    const file = 'caddy/pki/authorities/local/root.crt';
    this.#authority ??= readFileSync(join(this.#volume('certificates'), file), 'utf8');
    return this.#authority;
  }

  /** Resolves when the server answers through the proxy. */
  async ready(): Promise<void> {
    for (;;) {
      const status = await this.#request('GET', '/readyz').then(
        (answer) => answer.status,
        () => undefined,
      );
      if (status === 200) return;
      await sleep(triedAgainMs);
    }
  }

  /** Legs at each node that serves, by its name. */
  async callsOfNodes(): Promise<ReadonlyMap<string, number>> {
    const { objects } = await this.api('GET', 'Operator/Node/');
    const serving = objects.filter(({ state }: { state: string }) => state === 'serving');
    return new Map(serving.map(({ node, calls }: { node: string; calls: number }) => [node, calls]));
  }

  /** Resolves when as many nodes serve. */
  async serving(count: number): Promise<void> {
    while ((await this.callsOfNodes()).size < count) await sleep(triedAgainMs);
  }

  /** One request of the first account, relative to it. */
  // biome-ignore lint/suspicious/noExplicitAny: a black box test knows none of our types
  async api(method: string, path: string, body?: object): Promise<any> {
    this.#account ??= await this.#firstAccount();
    const answer = await this.#request(method, `${this.#account.path}${path}`, body, this.#account.basic);
    assert.ok(answer.status < 300, JSON.stringify(answer));
    return answer.body;
  }

  createEndpoint(name: string, password: string): Promise<{ readonly username: string }> {
    return this.api('POST', 'Endpoint/', { username: name, password, alias: name });
  }

  /** As the log of the first start says it. */
  async #firstAccount() {
    for (;;) {
      await this.ready();
      for (const [service, volume] of Object.entries(this.#names.servers)) {
        const [, authId] = /"authId":"(\w+)".*first account made/.exec(this.log(service)) ?? [];
        if (authId === undefined) continue;
        const token = readFileSync(join(this.#volume(volume), 'auth_token'), 'utf8').trim();
        return { path: `/v1/Account/${authId}/`, basic: `Basic ${btoa(`${authId}:${token}`)}` };
      }
      await sleep(triedAgainMs);
    }
  }

  #container(service: string): string {
    return `${this.#names.project}_${service}_1`;
  }

  #volume(name: string): string {
    return this.#podman.run(
      ...['volume', 'inspect', '--format={{.Mountpoint}}', `${this.#names.project}_${name}`],
    );
  }

  async #request(method: string, path: string, body?: object, authorization?: string) {
    const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
    const sent = request({ host: 'localhost', path, method, headers, ca: this.authority(), agent: false });
    sent.end(body && JSON.stringify(body));
    const [response] = await once(sent, 'response');
    const isJson = String(response.headers['content-type']).includes('json');
    return { status: Number(response.statusCode), body: isJson ? await json(response) : response.resume() };
  }
}

async function ended(program: ChildProcess): Promise<void> {
  program.kill();
  if (program.exitCode === null && program.signalCode === null) await once(program, 'exit');
}
