import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { allErrorCodes, type ErrorCode, errorBody, errorCodes } from '@jackfield/contract';
import { basic, onEmbeddedDatabase, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { problem } from '../kernel/problem.ts';
import { refused } from '../kernel/result.ts';
import { fileRoute, type OpenRoute, type RouteGroup, route } from './index.ts';
import { listeningApi } from './testing/listening-api.ts';
import { main, openShell, type Shell } from './testing/shell.ts';

interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever came back is checked
  readonly body: any;
}

const failing = (path: string, error: Error) =>
  route({
    method: 'POST',
    path,
    operation: `Fail at ${path}`,
    schema: { body: Type.Object({}) },
    success: 200,
    run: () => Promise.reject(error),
  });

const file = fileRoute({
  path: 'File/',
  operation: 'A file of ten bytes',
  params: Type.Object({}),
  contentTypes: ['text/plain'],
  find: async () => ({
    ok: true,
    value: { contentType: 'text/plain', bytes: 10, entityTag: '"1"', read: async function* () {} as never },
  }),
});

const receipts: OpenRoute = {
  methods: ['POST'],
  path: '/receipts',
  run: () => refused(problem('forbidden', 'the secret of the receipt is wrong')),
};

const group: RouteGroup = {
  name: 'Faults',
  routes: [
    failing('Broken/', new Error('a fault of the server')),
    failing('Away/', Object.assign(new Error('no answer'), { code: 'database-unavailable' })),
  ],
  files: [file],
  open: [receipts],
};

onEmbeddedDatabase('Every code of an error', (open) => {
  let shell: Shell;
  let port: number;
  let simulated: SimulatedWorld;
  let hasPorts = true;
  before(async () => {
    const httpLimits = { bodyBytes: 1000, requests: 1_000_000, strangerRequests: 1_000_000 };
    const settings = { httpLimits, mediaLoad: () => (hasPorts ? 0 : 1) };
    simulated = await openSimulatedWorld({ settings });
    const { http } = simulated.node.platform;
    await http.listen({ host: '127.0.0.1', port: 0 });
    port = (http.server.address() as AddressInfo).port;
    shell = await openShell(open, { features: [group], limits: { failedAuthentications: 1 } });
  });
  after(() => simulated.close());

  async function ask(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/Account/${simulated.main.authId}/${path}`, {
      method,
      headers: { authorization: basic(simulated.main), 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return { status: answer.status, body: await answer.json() };
  }

  /** The whole answer to bytes that no HTTP client would send. */
  async function answerTo(bytes: string, to = port): Promise<Answered> {
    const socket = connect(to, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(bytes);
    let text = '';
    for await (const chunk of socket) text += chunk;
    return { status: Number(text.split(' ')[1]), body: JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) };
  }

  async function fullRoom(): Promise<Answered> {
    const room = 'MultiPartyCall/name_full/Participant/';
    const add = async (name: string) => {
      const phone = await simulated.phone(name);
      const body = { role: 'agent', from: '+12025550000', to: phone.username, max_participants: 2 };
      return simulated.api('POST', room, body);
    };
    assert.deepEqual([(await add('ann')).status, (await add('bob')).status], [201, 201]);
    return add('cas');
  }

  /** A session whose code was not sent back. */
  async function verification(): Promise<string> {
    const started = await simulated.api('POST', 'Verify/Session/', { recipient: '+14155552671' });
    assert.equal(started.status, 202);
    return `Verify/Session/${started.body.session_uuid}/`;
  }

  async function slowRequest(): Promise<Answered> {
    const slow = await listeningApi({ limits: { headersMs: 50, requestMs: 50, lookMs: 10 } });
    try {
      return await answerTo('GET / HTTP/1.1\r\n', slow.port);
    } finally {
      await slow.close();
    }
  }

  async function repeated(send: (body: string) => Promise<Answered>, bodies: readonly [string, string]) {
    await send(bodies[0]);
    return send(bodies[1]);
  }

  async function tooManyGuesses(): Promise<Answered> {
    const url = `/v1/Account/${main.authId}/`;
    const guess = { url, headers: { authorization: basic({ ...main, authToken: 'wrong' }) } };
    assert.equal((await shell.app.inject(guess)).statusCode, 401);
    const answer = await shell.app.inject(guess);
    return { status: answer.statusCode, body: answer.json() };
  }

  const call = (): Promise<Answered> =>
    simulated.api('POST', 'Call/', {
      from: '+12025550000',
      to: '+12025550100',
      answer_url: 'https://example.com/',
    });

  async function withoutPorts(): Promise<Answered> {
    hasPorts = false;
    return call();
  }

  async function drained(): Promise<Answered> {
    hasPorts = true;
    simulated.node.platform.drain();
    return call();
  }

  const endpoint = JSON.stringify({ username: 'alice', password: 'secret', alias: 'a' });

  // A code without a request here does not compile. The last request drains its world for good.
  const requests: Readonly<Record<ErrorCode, () => Promise<Answered>>> = {
    'invalid-parameter': () => ask('GET', 'Endpoint/?limit=21'),
    'missing-parameter': () => ask('POST', 'Endpoint/', '{}'),
    'unknown-parameter': () => ask('POST', 'Endpoint/', '{"usrname":"alice"}'),
    'malformed-body': () => ask('POST', 'Endpoint/', '{'),
    'malformed-request': () => answerTo('NONSENSE\r\n\r\n'),
    'limit-reached': fullRoom,
    'incorrect-otp': async () => simulated.api('POST', await verification(), { otp: '000000' }),
    unauthenticated: () => ask('GET', '', undefined, { authorization: '' }),
    forbidden: async () => {
      const answer = await shell.app.inject({ method: 'POST', url: '/receipts', payload: {} });
      return { status: answer.statusCode, body: answer.json() };
    },
    'not-found': () => ask('GET', 'Endpoint/1/'),
    'method-not-allowed': () => ask('PUT', 'Endpoint/', '{}'),
    'request-timeout': slowRequest,
    conflict: async () => simulated.api('GET', `${await verification()}Receipt/`),
    'idempotency-mismatch': () =>
      repeated(
        (body) => ask('POST', 'Endpoint/', body, { 'idempotency-key': 'e' }),
        [endpoint, endpoint.replace('alice', 'bob')],
      ),
    'idempotency-outcome-unknown': () =>
      repeated(() => shell.call('POST', 'Broken/', {}, { 'idempotency-key': 'b' }), ['{}', '{}']),
    'payload-too-large': () => ask('POST', 'Endpoint/', `{"alias":"${'x'.repeat(1000)}"}`),
    'unsupported-media-type': () => ask('POST', 'Endpoint/', endpoint, { 'content-type': 'text/plain' }),
    'range-not-satisfiable': () => shell.call('GET', 'File/', undefined, { range: 'bytes=10-' }),
    'missing-trunk-parameter': () => simulated.api('POST', 'SipTrunk/Credential/', {}),
    'headers-too-large': () => answerTo(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`),
    internal: () => shell.call('POST', 'Broken/', {}),
    unavailable: () => shell.call('POST', 'Away/', {}),
    'too-many-requests': tooManyGuesses,
    'no-capacity': withoutPorts,
    draining: drained,
  };

  describe('is sent with its status and a sentence', () => {
    for (const [code, request] of Object.entries(requests)) {
      it(code, async () => {
        const { status, body } = await request();
        assert.deepEqual([body.error_code, status], [code, errorCodes[code as ErrorCode].status], body.error);
        assert.ok(Check(errorBody, body), JSON.stringify(body));
        // Clients of the hosted interface read `error` alone, and some of them the first members.
        assert.deepEqual(Object.keys(body), ['api_id', 'error', 'error_code']);
      });
    }
  });

  it('is shown by the OpenAPI document, and each operation names those that it answers', async () => {
    const documentOf = async (app: Shell['app']) => (await app.inject('/openapi.json')).json();
    const document = await documentOf(simulated.node.platform.http);
    const ofShell = await documentOf(shell.app);
    assert.deepEqual(document.components.schemas.Error.properties.error_code.enum, allErrorCodes);
    const codesOf = (path: string, method: string, shown = document) => {
      const { responses } = shown.paths[`/v1/Account/{auth_id}/${path}`][method];
      return Object.fromEntries(
        Object.entries<{ content?: { 'application/json': { schema: { allOf?: object[] } } } }>(responses)
          .filter(([status]) => status.startsWith('4'))
          .map(([status, { content }]) => {
            const [shared, own] = content!['application/json'].schema.allOf as [object, never];
            assert.deepEqual(shared, { $ref: '#/components/schemas/Error' });
            return [
              status,
              (own as { properties: { error_code: { enum: unknown } } }).properties.error_code.enum,
            ];
          }),
      );
    };
    const readOnly = {
      401: ['unauthenticated'],
      403: ['forbidden'],
      404: ['not-found'],
      429: ['too-many-requests'],
    };
    assert.deepEqual(codesOf('Endpoint/{endpoint_id}/', 'get'), {
      400: ['invalid-parameter', 'malformed-request'],
      ...readOnly,
    });
    // Its parameter `q` is required.
    assert.deepEqual(codesOf('Search/', 'get'), {
      400: ['invalid-parameter', 'missing-parameter', 'malformed-request'],
      ...readOnly,
    });
    assert.deepEqual(codesOf('File/', 'get', ofShell), {
      400: ['invalid-parameter', 'malformed-request'],
      ...readOnly,
      416: ['range-not-satisfiable'],
    });
    assert.deepEqual(codesOf('Endpoint/', 'post'), {
      400: [
        'invalid-parameter',
        'missing-parameter',
        'unknown-parameter',
        'malformed-body',
        'malformed-request',
        'limit-reached',
      ],
      ...readOnly,
      409: ['conflict', 'idempotency-mismatch', 'idempotency-outcome-unknown'],
      413: ['payload-too-large'],
      415: ['unsupported-media-type'],
    });
  });
});
