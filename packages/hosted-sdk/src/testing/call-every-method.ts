import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { pointPlivoSdkAt } from '../point-plivo-sdk-at.ts';
import type { Request } from '../requests-to.ts';

/**
 * Calls every method of every resource of the SDK against an HTTP server in this process and prints one line of JSON.
 * It has the requests that reached the server, each other host to which the SDK tried to open a socket, and the methods
 * without a request. It needs its own process, because the SDK leaves promises rejected and pending. The argument
 * `alone` uses the SDK unchanged, with the server as its `url`.
 */
export interface EveryMethod {
  readonly requests: number;
  readonly authorizations: readonly string[];
  readonly otherHosts: readonly string[];
  readonly called: number;
  readonly silent: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: classes of the SDK, with untyped arguments
type Resource = any;

const require = createRequire(import.meta.url);
const resources = join(dirname(require.resolve('plivo/package.json')), 'dist/resources');
const number = '+12025550100';
const subaccount = `SA${'0'.repeat(18)}`;

process.on('unhandledRejection', () => {});
console.log = () => {};

const authorizations = new Set<string>();
let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  authorizations.add(request.headers.authorization ?? '');
  response.setHeader('Content-Type', 'application/json');
  request.resume().on('end', () => response.end('{"api_id":"1","objects":[],"meta":{}}'));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const otherHosts = new Set<string>();
const connect = Socket.prototype.connect as (...args: unknown[]) => Socket;
Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
  const { host } = (Array.isArray(args[0]) ? args[0][0] : args[0]) as { readonly host: string };
  if (host === '127.0.0.1') return connect.apply(this, args);
  otherHosts.add(host);
  process.nextTick(() => this.destroy(new Error(`${host} is another host`)));
  return this;
} as typeof Socket.prototype.connect;

const alone = process.argv[2] === 'alone';
if (!alone) pointPlivoSdkAt(base);
const { Client, PhloClient } = require('plivo') as Record<string, Resource>;
const { camelCaseRequestWrapper } = require('plivo/dist/rest/utils.js') as Record<string, Resource>;
const { Axios } = require('plivo/dist/rest/axios.js') as Record<string, Resource>;

// Created like the SDK's own clients: with the hosted URL, or with the `url` of its user.
const url = `${alone ? base : 'https://api.plivo.com'}/v1/Account/MA`;
const send = camelCaseRequestWrapper(
  Axios({ url, authId: 'MA', authToken: 'secret', userAgent: 'every-method' }),
) as Request;
const pending: Promise<unknown>[] = [];
const request: Request = (...args) => {
  const answer = send(...args);
  pending.push(answer);
  return answer;
};

/** Argument lists for all kinds of methods; a method is called with each until it makes a request. */
const argumentLists = (): readonly (readonly unknown[])[] => {
  const form = { applicationId: 'id', loaId: 'id', endUserId: 'id', documentTypeId: 'id' };
  const call = { uuid: 'id', role: 'agent', from: number, to: number };
  return [
    [],
    ['id'],
    [call],
    ['agent', call],
    ['id', { uuid: 'id' }],
    ['id', 'http://127.0.0.1:8000/a', { uuid: 'id' }],
    [{ ...call, url: 'http://127.0.0.1:8000/a' }],
    [{ uuid: 'id', status: 'active' }],
    [{ id: 'id', recipient: number, otp: '1' }],
    [{ ...form, alias: 'a', number, file: import.meta.filename }],
    ['id', 'id'],
    ['id', 5],
    ['id', ['http://127.0.0.1:8000/a']],
    ['id', 'id', 'id', 'id', 'id', 'id', 'id', 'id', 'id'],
    [subaccount, 'name', true],
    ['US'],
  ];
};

const silent: string[] = [];
let called = 0;
for (const file of readdirSync(resources).filter((name) => name.endsWith('.js'))) {
  for (const [name, Class] of Object.entries<Resource>(require(join(resources, file)))) {
    if (typeof Class !== 'function' || /(Response|Error)$/.test(name)) continue;
    for (const method of methodsOf(Class)) {
      called += 1;
      if (!makesRequest(Class, method)) silent.push(`${name}.${method}`);
    }
  }
}
for (let done = 0; done < pending.length; done = pending.length) await Promise.allSettled(pending);

// The clients themselves, with their defaults when the SDK is pointed at the server.
const client = new Client('MA', 'secret', alone ? { url } : {});
const phloClient = new PhloClient('MA', 'secret', alone ? { url: `${base}/v1` } : {});
await Promise.allSettled([
  client.calls.create(number, number, 'http://127.0.0.1:8000/a'),
  phloClient.phlo.get('id'),
]);

const result: EveryMethod = {
  requests,
  authorizations: [...authorizations],
  otherHosts: [...otherHosts].sort(),
  called,
  silent: silent.sort(),
};
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit());

function methodsOf(Class: Resource): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = Class.prototype; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) if (name !== 'constructor') names.add(name);
  }
  return names;
}

function makesRequest(Class: Resource, method: string): boolean {
  const before = pending.length;
  for (const args of argumentLists()) {
    try {
      // Fields of some resources only: an id, the second id of a participant, the field of a validator.
      const resource = new Class(request, { id: 'id', secondaryId: 'id', number });
      resource.id = 'id';
      Promise.resolve(resource[method](...args)).catch(() => {});
    } catch {
      // The SDK's own check refused the arguments.
    }
    if (pending.length > before) return true;
  }
  return false;
}
