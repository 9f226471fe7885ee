import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Phone, World } from './api.ts';
import { createWorld } from './create-world.ts';
import type { Duration } from './duration.ts';
import type { FaultName } from './fault-names.ts';
import { TestingError } from './testing-error.ts';

export interface TestServerOptions {
  /** A free one when absent. */
  readonly port?: number;
  readonly host?: string;
}

/** Worlds over HTTP, for tests in any language. */
export interface TestServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The parameters of a request: its JSON object. */
type Fields = Readonly<Record<string, unknown>>;

interface Running {
  readonly world: World;
  /** Commands of a world run one after another: each moves its clock. */
  last: Promise<unknown>;
}

/** A request is a few words. */
const longestBody = 64 * 1024;

export async function startTestServer({
  port = 0,
  host = '127.0.0.1',
}: TestServerOptions = {}): Promise<TestServer> {
  const worlds = new Map<string, Running>();
  let number = 0;

  async function answer(request: IncomingMessage): Promise<unknown> {
    const fields = await fieldsOf(request);
    const { pathname, parts } = pathOf(request);
    const [at, id = '', ...command] = parts;
    if (at !== 'worlds') throw unknownPath(pathname);
    if (id === '' && request.method === 'POST') return open(fields);
    const running = worlds.get(id);
    if (running === undefined)
      throw new TestingError(
        'world-closed',
        `There is no world ${JSON.stringify(id)}: POST /worlds creates one.`,
      );
    if (request.method === 'DELETE' && command.length === 0) worlds.delete(id);
    const run = () =>
      request.method === 'DELETE' && command.length === 0
        ? running.world.close()
        : obey(running.world, request.method ?? '', command, fields, pathname);
    const result = running.last.then(run, run);
    running.last = result.catch(() => {});
    return (await result) ?? {};
  }

  async function open(fields: Fields): Promise<object> {
    const { seed = 1 } = fields;
    const world = await createWorld({ program: text(fields, 'program'), seed: seed as number });
    const id = String(++number);
    worlds.set(id, { world, last: Promise.resolve() });
    return { world: id, api: await world.listen(), ...world.account };
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (body) => response.writeHead(200, json).end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(statusOf(error), json).end(JSON.stringify(problemOf(error))),
    );
  });
  await listening(server, port, host);
  const address = server.address() as AddressInfo;
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    async close() {
      const open = [...worlds.values()];
      worlds.clear();
      for (const { world } of open) await world.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

const json = { 'content-type': 'application/json' };

/** A command: a part of the world and its verb, such as `phones/+14155550100/dial`. */
async function obey(
  world: World,
  method: string,
  command: readonly string[],
  fields: Fields,
  path: string,
): Promise<unknown> {
  const [part = '', name = '', verb = ''] = command;
  if (part === 'phones' || part === 'endpoints') {
    const phone = part === 'phones' ? world.phone(name) : world.endpoint(name);
    if (method === 'GET' && verb === '') return stateOf(phone);
    const run = Object.hasOwn(phoneCommands, verb) ? phoneCommands[verb] : undefined;
    if (method === 'POST' && run !== undefined) return run(phone, fields);
    throw new TestingError(
      'bad-option',
      `${method} ${path} is no command of a phone: POST ${Object.keys(phoneCommands).join(', ')}, or GET the phone.`,
    );
  }
  if (method === 'GET' && part === 'requests') return { requests: world.requests };
  if (method === 'POST' && part === 'wait') return world.wait(text(fields, 'duration') as Duration);
  if (method === 'POST' && part === 'requested') return world.requested(text(fields, 'path'), within(fields));
  if (part === 'faults' && method === 'POST') {
    const { name: fault, ...options } = fields;
    return void world.fault(String(fault) as FaultName, options);
  }
  if (part === 'faults' && method === 'DELETE') return world.fault(name as FaultName).end();
  throw unknownPath(path);
}

const phoneCommands: Readonly<Record<string, (phone: Phone, fields: Fields) => Promise<unknown>>> = {
  ready: async (phone) => stateOf(await phone.ready()),
  behaves: async (phone, { answer }) =>
    stateOf(await phone.behaves(answer as Parameters<Phone['behaves']>[0]).ready()),
  dial: (phone, fields) => phone.dial(text(fields, 'to'), within(fields)),
  rings: (phone, fields) => phone.rings(within(fields)),
  answered: (phone, fields) => phone.answered(within(fields)),
  hears: async (phone, fields) => ({ match: [...(await phone.hears(expected(fields), within(fields)))] }),
  'hears-keys': (phone, fields) => phone.hearsKeys(text(fields, 'keys'), within(fields)),
  says: (phone, fields) => phone.says(text(fields, 'text')),
  press: (phone, fields) => phone.press(text(fields, 'keys')),
  'hang-up': (phone) => phone.hangUp(),
  ended: (phone, fields) => phone.ended(within(fields)),
  'receives-text': async (phone, fields) => {
    const { match, ...message } = await phone.receivesText(expected(fields), within(fields));
    return { ...message, match: [...match] };
  },
};

function stateOf(phone: Phone): object {
  const { name, transcript, keysHeard, isInCall } = phone;
  return { name, transcript, keysHeard, isInCall };
}

/** `text`, or `pattern`: a regular expression. */
function expected(fields: Fields): string | RegExp {
  if (fields.pattern === undefined) return text(fields, 'text');
  try {
    return new RegExp(text(fields, 'pattern'), 'i');
  } catch (error) {
    throw new TestingError('bad-option', `pattern is no regular expression: ${(error as Error).message}`);
  }
}

function within({ within: limit }: Fields): { readonly within?: Duration } {
  return limit === undefined ? {} : { within: limit as Duration };
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new TestingError('bad-option', `${name} is ${JSON.stringify(value) ?? 'missing'}: use a text.`);
}

async function fieldsOf(request: IncomingMessage): Promise<Fields> {
  let body = '';
  for await (const piece of request) {
    body += piece;
    if (body.length > longestBody)
      throw new TestingError('bad-option', `The body is longer than ${longestBody} bytes.`);
  }
  if (body === '') return {};
  try {
    const fields: unknown = JSON.parse(body);
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) return fields as Fields;
  } catch {
    // Like any other body that is no object.
  }
  throw new TestingError('bad-option', 'The body is no JSON object.');
}

function pathOf({ url = '/' }: IncomingMessage): {
  readonly pathname: string;
  readonly parts: readonly string[];
} {
  try {
    const { pathname } = new URL(url, 'http://test');
    const parts = pathname.split('/').filter((part) => part !== '');
    return { pathname, parts: parts.map(decodeURIComponent) };
  } catch {
    throw unknownPath(url);
  }
}

function unknownPath(path: string): TestingError {
  return new TestingError(
    'bad-option',
    `${path} is not known: use /worlds, or below a world phones, endpoints, requests, requested, wait or faults.`,
  );
}

/** 422: an expectation did not hold; 400: a request that cannot be understood. */
function statusOf(error: unknown): number {
  if (!(error instanceof TestingError)) return 500;
  if (error.code === 'world-closed') return 404;
  return ['not-within', 'call-failed', 'no-call', 'no-phone'].includes(error.code) ? 422 : 400;
}

function problemOf(error: unknown): object {
  const { message } = error instanceof Error ? error : new Error(String(error));
  return { error: message, code: error instanceof TestingError ? error.code : 'program-threw' };
}

const notOpened: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; choose another port',
  EACCES: 'this user may not listen there; choose a port from 1024 up',
  EADDRNOTAVAIL: 'it is no address of this machine',
  ENOTFOUND: 'the name is unknown',
  EAI_AGAIN: 'the name is unknown',
};

async function listening(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const why = notOpened[(error as NodeJS.ErrnoException).code ?? ''] ?? error.message;
      reject(
        new TestingError('bad-option', `port ${port} of ${host} cannot be opened: ${why}`, { cause: error }),
      );
    });
    server.listen(port, host, resolve);
  });
}
