import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnBound } from './bound-child.ts';
import type { Podman } from './podman.ts';

const triedAgainMs = 100;

/** What `deploy/compose.yaml` runs, under podman's service. */
export class Composition {
  readonly #podman: Podman;
  readonly #project: string;
  readonly #programs: readonly ChildProcess[];
  #account: { readonly path: string; readonly basic: string } | undefined;

  private constructor(podman: Podman, project: string, programs: readonly ChildProcess[]) {
    this.#podman = podman;
    this.#project = project;
    this.#programs = programs;
  }

  /** Starts the service, to which compose speaks, and what starts health checks. */
  static async start(podman: Podman, project: string): Promise<Composition> {
    const options = { env: podman.env, stdio: 'ignore' } as const;
    const service = ['system', 'service', '--time=0', `unix://${podman.socket}`];
    const checks =
      'while sleep 1; do for each in $(podman ps -q); do podman healthcheck run $each; done; done';
    const programs = [spawnBound('podman', service, options), spawnBound('sh', ['-c', checks], options)];
    while (!existsSync(podman.socket)) await sleep(triedAgainMs);
    return new Composition(podman, project, programs);
  }

  async end(): Promise<void> {
    for (const program of this.#programs) {
      program.kill();
      if (program.exitCode === null && program.signalCode === null) await once(program, 'exit');
    }
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
    return this.#podman.run('inspect', '--format={{.State.Health.Status}}', `${this.#project}_${service}_1`);
  }

  async healthy(service: string): Promise<void> {
    while (this.health(service) !== 'healthy') await sleep(triedAgainMs);
  }

  /** PEM of the authority that the proxy has made for itself. */
  authority(): string {
    return readFileSync(join(this.#volume('certificates'), 'caddy/pki/authorities/local/root.crt'), 'utf8');
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

  /** One request of the first account, relative to it. */
  // biome-ignore lint/suspicious/noExplicitAny: a black box test knows none of our types
  async api(method: string, path: string, body?: object): Promise<any> {
    this.#account ??= await this.#firstAccount();
    const answer = await this.#request(method, `${this.#account.path}${path}`, body, this.#account.basic);
    assert.ok(answer.status < 300, JSON.stringify(answer));
    return answer.body;
  }

  /** What a phone of a new endpoint registers with. */
  async endpoint(name: string): Promise<{ readonly username: string; readonly password: string }> {
    const password = `secret-of-${name}`;
    const { username } = await this.api('POST', 'Endpoint/', { username: name, password, alias: name });
    return { username, password };
  }

  /** As the log of the first start says it. */
  async #firstAccount() {
    for (;;) {
      const log = this.#podman.run('logs', `${this.#project}_jackfield_1`);
      const [, authId] = /"authId":"(\w+)".*first account made/.exec(log) ?? [];
      if (authId !== undefined) {
        const token = readFileSync(join(this.#volume('recordings'), 'auth_token'), 'utf8').trim();
        return { path: `/v1/Account/${authId}/`, basic: `Basic ${btoa(`${authId}:${token}`)}` };
      }
      await sleep(triedAgainMs);
    }
  }

  #volume(name: string): string {
    return this.#podman.run('volume', 'inspect', '--format={{.Mountpoint}}', `${this.#project}_${name}`);
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
