import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Registrations } from '@jackfield/ports';
import { createHeaders, type IncomingRequest } from '@jackfield/sip';
import { createRecordingLog } from '@jackfield/testkit';
import { createEdgeRequests, type EdgeRequestsDeps } from './edge-requests.ts';

const flow = {
  id: 'tcp-1',
  protocol: 'tcp',
  reliable: true,
  remoteAddress: '::ffff:192.0.2.1',
  remotePort: 5060,
  localAddress: '192.0.2.9',
  localPort: 5060,
} as const;

/** The answer to a request: the status, the body, and whether its sender is trusted from then on. */
async function answerTo(
  method: string,
  uri: string,
  changes: Partial<EdgeRequestsDeps> = {},
  body = '',
): Promise<{ status: number; headers: string[]; body: string | undefined; isTrusted: boolean }> {
  const log = createRecordingLog();
  return new Promise((resolve) => {
    let isTrusted = false;
    const incoming: IncomingRequest = {
      request: { kind: 'request', method, uri, headers: createHeaders([]), body },
      flow,
      reply: (status, fields = {}) =>
        resolve({
          status,
          headers: Array.from(fields.headers ?? [], ([name]) => name),
          body: fields.body,
          isTrusted,
        }),
      trust() {
        isTrusted = true;
      },
    };
    createEdgeRequests({
      domains: ['sip.example.com'],
      log,
      isDraining: () => false,
      isKnown: () => true,
      isOpenFlow: () => true,
      ...changes,
    })(incoming);
  });
}

const withSource = (port: number) => ({
  registrations: withBindings([''], `[::ffff:192.0.2.1]:${port}`),
});

const withBindings = (flows: readonly string[], source?: string): Registrations =>
  ({
    credentialOf: async (user: string) => (user === 'alice' ? { endpoint: 'of alice' } : undefined),
    bindingsOf: async () => flows.map((each) => ({ flow: each, source })),
    dropFlow: async () => {},
  }) as unknown as Registrations;

describe('OPTIONS outside of calls (RFC 3261 §11.2)', () => {
  const alice = 'sip:alice@sip.example.com';
  const registered = { registrations: withBindings(['tcp-1']) };
  const cases: readonly (readonly [string, string, Partial<EdgeRequestsDeps>, number])[] = [
    ['the server itself answers', 'sip:sip.example.com', registered, 200],
    ['the server refuses while it drains', 'sip:sip.example.com', { isDraining: () => true }, 503],
    ['a phone finds its own user on the flow of its registration', alice, registered, 200],
    [
      'a phone without a flow finds its own user from the source of its registration',
      alice,
      withSource(5060),
      200,
    ],
    ['a phone without a flow is not revealed to another source', alice, withSource(5061), 404],
    ['a user on another flow is not revealed', alice, { registrations: withBindings(['tcp-2']) }, 404],
    ['a user without a binding is not revealed', alice, { registrations: withBindings([]) }, 404],
    ['an unknown user is not found', 'sip:bob@sip.example.com', registered, 404],
    ['a user of another domain is not found', 'sip:alice@example.net', registered, 404],
    ['a stranger learns nothing', alice, { ...registered, isKnown: () => false }, 404],
    ['every user exists where no phone registers', 'sip:bob@example.net', {}, 200],
  ];
  for (const [name, uri, changes, status] of cases)
    it(name, async () => assert.equal((await answerTo('OPTIONS', uri, changes)).status, status));

  it('the answer lists methods, bodies and extensions', async () => {
    const { headers } = await answerTo('OPTIONS', 'sip:sip.example.com');
    assert.deepEqual(headers, ['Allow', 'Accept', 'Supported']);
  });

  it('a lookup that fails is answered with 500', async () => {
    const registrations = {
      ...withBindings([]),
      credentialOf: () => Promise.reject(new Error('no database')),
    };
    assert.equal((await answerTo('OPTIONS', alice, { registrations })).status, 500);
  });
});

describe('MESSAGE', () => {
  it('answers the hosted browser SDK with the address of its client, without the prefix of IPv4 in IPv6', async () => {
    const { status, body } = await answerTo('MESSAGE', 'sip:admin@sip.example.com', {}, ' ipAddress\r\n');
    assert.deepEqual([status, body], [200, '192.0.2.1']);
  });

  const refused: readonly (readonly [string, string, string])[] = [
    ['another text', 'sip:admin@sip.example.com', 'hello'],
    ['another user', 'sip:alice@sip.example.com', 'ipAddress'],
    ['another domain', 'sip:admin@example.net', 'ipAddress'],
    ['a telephone number', 'tel:+12025550100', 'ipAddress'],
  ];
  for (const [name, uri, body] of refused) {
    it(`${name} gets a 405 with Allow`, async () => {
      const answer = await answerTo('MESSAGE', uri, {}, body);
      assert.deepEqual([answer.status, answer.headers, answer.body], [405, ['Allow'], undefined]);
    });
  }
});

describe('REGISTER', () => {
  type Registrar = NonNullable<EdgeRequestsDeps['registrar']>;
  const registrarOf = (register: () => Promise<unknown>) => ({ register }) as unknown as Registrar;
  const answering = (status: number) => registrarOf(async () => ({ status, headers: [['Contact', '*']] }));

  it('is answered with 405 where no phone registers', async () => {
    assert.equal((await answerTo('REGISTER', 'sip:sip.example.com')).status, 405);
  });

  for (const [status, isTrusted] of [
    [200, true],
    [401, false],
    [423, false],
  ] as const) {
    it(`an answer of ${status} ${isTrusted ? 'marks' : 'does not mark'} the sender as authenticated`, async () => {
      const answer = await answerTo('REGISTER', 'sip:sip.example.com', { registrar: answering(status) });
      assert.deepEqual([answer.status, answer.headers, answer.isTrusted], [status, ['Contact'], isTrusted]);
    });
  }

  it('while the database is away is answered with 503 and Retry-After', async () => {
    const gone = Object.assign(new Error('no database'), { code: 'database-unavailable' });
    const registrar = registrarOf(() => Promise.reject(gone));
    const answer = await answerTo('REGISTER', 'sip:sip.example.com', { registrar });
    assert.deepEqual([answer.status, answer.headers], [503, ['Retry-After']]);
  });

  it('a registrar that fails is answered with 500 and Retry-After', async () => {
    const registrar = registrarOf(() => Promise.reject(new Error('no database')));
    const answer = await answerTo('REGISTER', 'sip:sip.example.com', { registrar });
    assert.deepEqual([answer.status, answer.headers, answer.isTrusted], [500, ['Retry-After'], false]);
  });

  it('bindings of a connection that was lost during the write are dropped', async () => {
    const dropped: string[] = [];
    const registrations = { ...withBindings([]), dropFlow: async (id: string) => void dropped.push(id) };
    const deps = { registrar: answering(200), registrations };
    await answerTo('REGISTER', 'sip:sip.example.com', { ...deps, isOpenFlow: () => false });
    await answerTo('REGISTER', 'sip:sip.example.com', deps);
    assert.deepEqual(dropped, ['tcp-1']);
  });
});
