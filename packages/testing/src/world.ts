import { inspect } from 'node:util';
import type {
  ApiAnswer,
  ApiMethod,
  App,
  AppPaths,
  Fault,
  FaultOptions,
  Phone,
  ProgramRequest,
  Within,
  World,
} from './api.ts';
import { type Duration, msOf } from './duration.ts';
import type { FaultName } from './fault-names.ts';
import type { Faults } from './faults.ts';
import type { Ground } from './ground.ts';
import { checkOptions, limitOf } from './options.ts';
import { TestPhone } from './phone.ts';
import type { ProgramRunner } from './program.ts';
import { TestingError } from './testing-error.ts';

export interface WorldDeps {
  readonly ground: Ground;
  readonly faults: Faults;
  readonly program: ProgramRunner;
}

/** A world over a ground. */
export class TestWorld implements World {
  readonly #deps: WorldDeps;
  readonly #phones = new Map<string, TestPhone>();
  readonly #apps = new Map<string, Promise<App>>();
  /** Phones hang up while the world closes. */
  #state: 'open' | 'closing' | 'closed' = 'open';

  constructor(deps: WorldDeps) {
    this.#deps = deps;
  }

  get account(): { readonly authId: string; readonly authToken: string } {
    return this.#deps.ground.account;
  }

  get requests(): readonly ProgramRequest[] {
    return this.#deps.program.requests;
  }

  now(): number {
    return this.#deps.ground.clock.now();
  }

  phone(number: string): Phone {
    this.#checkOpen();
    if (!/^\+[1-9]\d{6,14}$/.test(number)) {
      throw new TestingError(
        'bad-number',
        `The number is ${JSON.stringify(number)}: use E.164, such as "+14155550100".`,
      );
    }
    return this.#phone(number, () => this.#deps.ground.openPhone(number));
  }

  endpoint(name: string): Phone {
    this.#checkOpen();
    if (!/^[a-z][a-z0-9]{0,23}$/i.test(name)) {
      throw new TestingError(
        'bad-option',
        `The endpoint is ${JSON.stringify(name)}: use 1 to 24 letters and digits, a letter first.`,
      );
    }
    return this.#phone(name, () => this.#deps.ground.openEndpoint(name));
  }

  app(path: string, paths: AppPaths = {}): Promise<App> {
    this.#checkOpen();
    checkOptions(paths, ['hangup', 'fallback'], 'an application');
    const { hangup, fallback } = paths;
    const urls = {
      answer_url: this.url(path),
      ...(hangup === undefined ? {} : { hangup_url: this.url(hangup) }),
      ...(fallback === undefined ? {} : { fallback_answer_url: this.url(fallback) }),
    };
    const key = JSON.stringify(urls);
    const app = this.#apps.get(key) ?? this.#deps.ground.openApp(urls);
    this.#apps.set(key, app);
    return app;
  }

  url(path: string): string {
    if (path.startsWith('/')) return new URL(path, this.#deps.ground.programUrl).href;
    throw new TestingError('bad-option', `The path is ${JSON.stringify(path)}: it begins with "/".`);
  }

  api(method: ApiMethod, path: string, body?: object): Promise<ApiAnswer> {
    this.#checkOpen();
    return this.#deps.ground.api(method, path, body);
  }

  async listen(): Promise<string> {
    this.#checkOpen();
    return this.#deps.ground.listen();
  }

  async wait(duration: Duration): Promise<void> {
    this.#checkOpen();
    return this.#deps.ground.wait(msOf(duration, 'duration'));
  }

  async until(what: string, condition: () => boolean, options: Within = {}): Promise<void> {
    this.#checkOpen();
    const within = limitOf(options, '60 s');
    if (await this.#deps.ground.until(condition, msOf(within, 'within'))) return;
    throw new TestingError('not-within', `Not within ${within}: ${what}.${problemsOf(this.#deps.program)}`);
  }

  async requested(path: string, options: Within = {}): Promise<ProgramRequest> {
    const find = () => this.requests.find((request) => request.path === path);
    await this.until(`a request to ${path}`, () => find() !== undefined, options);
    return find()!;
  }

  fault(name: FaultName, options?: FaultOptions): Fault {
    this.#checkOpen();
    return this.#deps.faults.start(name, options);
  }

  async close(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    this.#deps.faults.endAll();
    for (const phone of this.#phones.values()) await phone.hangUp();
    this.#state = 'closed';
    await this.#deps.ground.close();
    const [error] = this.#deps.program.errors;
    if (error !== undefined) throw error;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #checkOpen(): void {
    if (this.#state === 'open') return;
    throw new TestingError('world-closed', 'The world is closed: create another one.');
  }

  #phone(name: string, open: () => ReturnType<Ground['openPhone']>): TestPhone {
    const { ground, faults, program } = this.#deps;
    const known = this.#phones.get(name);
    if (known !== undefined) return known;
    const appAt = (path: string) => this.app(path);
    const problems = () => problemsOf(program);
    // A phone that hangs up at the end waits for the end of its call.
    const checkOpen = () => {
      if (this.#state === 'closed') this.#checkOpen();
    };
    const phone = new TestPhone({ ground, faults, name, open, appAt, problems, checkOpen });
    this.#phones.set(name, phone);
    return phone;
  }
}

function problemsOf({ errors }: ProgramRunner): string {
  const [first] = errors;
  if (first === undefined) return '';
  // With the cause: `fetch` names what went wrong there alone.
  return ` The program threw: ${inspect(first)}`;
}
