import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseMessage } from '../message/parse-message.ts';
import { createMemoryLink, type MemoryLink } from './testing/memory-link.ts';
import type { Guard } from './user-agent-options.ts';

const everybody: Guard = { admits: () => true };
const challenge =
  'Digest realm="sip.example.com", nonce="mi8x1k2j-1-0123456789abcd", algorithm=MD5, qop="auth"';
const statuses = [200, 401, 403, 404, 407, 423, 480, 500, 503];

const word = fc.stringMatching(/^[a-z0-9]{1,40}$/);
const stranger = fc.record({
  method: fc.constantFrom(
    'OPTIONS',
    'REGISTER',
    'INVITE',
    'MESSAGE',
    'BYE',
    'CANCEL',
    'NOTIFY',
    'REFER',
    'FOO',
  ),
  branch: word,
  user: word,
  callId: word,
  toTag: fc.option(word),
  require: fc.option(word),
  sessionExpires: fc.option(fc.integer({ min: 1, max: 200 })),
  contact: fc.boolean(),
  compact: fc.boolean(),
  malformed: fc.boolean(),
  more: fc.integer({ min: 0, max: 300 }),
  status: fc.constantFrom(...statuses),
  copies: fc.integer({ min: 1, max: 3 }),
});
type Stranger = typeof stranger extends fc.Arbitrary<infer Value> ? Value : never;

function requestOf(requested: Stranger): string {
  const { method, branch, user, callId, toTag } = requested;
  const name = (long: string, short: string) => (requested.compact ? short : long);
  return [
    `${method} sip:b@10.0.0.2 SIP/2.0`,
    `${name('Via', 'v')}:SIP/2.0/UDP 10.0.0.1;rport;branch=z9hG4bK${branch}`,
    `${name('From', 'f')}:<sip:${user}@a>;tag=1`,
    `${name('To', 't')}:<sip:b@b>${toTag === null ? '' : `;tag=${toTag}`}`,
    `${name('Call-ID', 'i')}:${callId}`,
    `CSeq:${requested.malformed ? 'x' : 1} ${method}`,
    ...(requested.require === null ? [] : [`Require:${requested.require}`]),
    ...(requested.sessionExpires === null ? [] : [`x:${requested.sessionExpires}`, 'k:timer']),
    ...(requested.contact ? ['m:<sip:a@10.0.0.1>'] : []),
    ...(requested.more === 0 ? [] : [`User-Agent:${'x'.repeat(requested.more)}`]),
    '\r\n',
  ].join('\r\n');
}

function answering(status: number, guard: Guard = everybody): MemoryLink {
  const link = createMemoryLink({}, { guard, userAgentName: 'A server with a name of some length' });
  const headers = [[status === 407 ? 'Proxy-Authenticate' : 'WWW-Authenticate', challenge]] as const;
  const fields = status === 401 || status === 407 ? { headers } : {};
  link.bob.onRequest = (incoming) => incoming.reply(status, fields);
  link.bob.onInvite = (incoming) => incoming.reject(status < 300 ? 403 : status, fields);
  return link;
}

test('Over UDP an unauthenticated sender gets no response larger than its request, for any request and answer', () => {
  fc.assert(
    fc.property(stranger, (requested) => {
      const text = requestOf(requested);
      const link = answering(requested.status);
      for (let copy = 1; copy <= requested.copies; copy += 1) {
        link.inject('bob', text);
        const sent = link.bob.texts.reduce((sum, each) => sum + each.length, 0);
        assert.ok(sent <= copy * text.length, `${link.bob.texts.at(-1)}\nto\n${text}`);
      }
      // No timer repeats an answer to an unauthenticated sender.
      const before = link.bob.texts.length;
      link.clock.advance(400_000);
      assert.equal(link.bob.texts.length, before);
      assert.deepEqual(link.bob.ua.census(), { transactions: 0, dialogs: 0, timers: 0 });
    }),
    { numRuns: 500 },
  );
});

const register = (length: number) =>
  `REGISTER sip:10.0.0.2 SIP/2.0\r\nVia: SIP/2.0/UDP 10.0.0.1:5060;rport;branch=z9hG4bK1\r\nMax-Forwards: 70\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:a@b>\r\nCall-ID: 1\r\nCSeq: 1 REGISTER\r\nContact: <sip:a@10.0.0.1>\r\nExpires: 60\r\nUser-Agent: ${'x'.repeat(length)}\r\nContent-Length: 0\r\n\r\n`;

test('A challenge that is too large for its request is sent in the shortest form, which parses to the same challenge', () => {
  for (const length of [10, 300]) {
    const link = answering(401);
    link.inject('bob', register(length));
    const response = parseMessage(link.bob.texts[0] ?? '').message;
    const value = response?.headers.get('WWW-Authenticate') ?? '';
    assert.match(value, /^Digest realm="sip\.example\.com", ?nonce="[^"]+",.*qop="auth"$/);
    assert.equal(/algorithm/.test(value), length === 300);
    assert.equal(response?.headers.has('Server'), length === 300);
  }
});

test('A trusted sender gets the whole response, a due 100, and a refusal again until its ACK', () => {
  const link = answering(200);
  link.bob.onRequest = (incoming) => {
    incoming.trust();
    incoming.reply(200, { headers: [['Contact', `<sip:${'x'.repeat(600)}@10.0.0.1>`]] });
  };
  link.inject('bob', register(10));
  assert.ok(link.bob.texts[0]!.length > 600);

  const invite = register(10).replaceAll('REGISTER', 'INVITE').replace('z9hG4bK1', 'z9hG4bK2');
  let admit: () => void = () => {};
  link.bob.onInvite = (incoming) => {
    admit = () => {
      incoming.trust();
      incoming.reject(486);
    };
  };
  link.inject('bob', invite);
  link.clock.advance(300);
  assert.equal(link.bob.sent.length, 1);
  admit();
  link.clock.advance(1000);
  assert.deepEqual(link.bob.sent.slice(1, 5), [
    'SIP/2.0 100 Trying',
    'SIP/2.0 486 Busy Here',
    'SIP/2.0 486 Busy Here',
    ...link.bob.sent.slice(4, 5),
  ]);
});

test('A sender that the guard trusts gets full answers from its first message', () => {
  const link = answering(401, {
    admits: () => true,
    trusts: ({ remoteAddress }) => remoteAddress === '10.0.0.1',
  });
  link.inject('bob', register(10));
  assert.match(link.bob.texts[0]!, /^SIP\/2\.0 401 Unauthorized[\s\S]*Server: /);
});

test('A request that the guard drops gets no answer, even malformed or repeated, and leaves no state', () => {
  let admitted = 1;
  const link = answering(404, { admits: () => admitted-- > 0 });
  link.inject('bob', register(300));
  link.inject('bob', register(300));
  link.inject('bob', register(300).replace('CSeq: 1', 'CSeq: x').replace('z9hG4bK1', 'z9hG4bK3'));
  link.inject('bob', register(300).replace('z9hG4bK1', 'z9hG4bK4'));
  assert.equal(link.bob.sent.length, 1);
  assert.equal(link.bob.ua.counters.unwanted, 3);
  assert.equal(link.bob.ua.census().transactions, 1);
});

test('The guard is not called for requests within a dialog', () => {
  let isOpen = true;
  const link = answering(200, { admits: () => isOpen });
  link.bob.onInvite = (incoming) => {
    incoming.trust();
    incoming.accept({ body: 'v=0', contentType: 'application/sdp' });
  };
  const ended: string[] = [];
  const call = link.alice.ua.invite(
    {
      targets: [{ uri: 'sip:bob@10.0.0.2' }],
      from: '<sip:a@10.0.0.1>',
      to: '<sip:b@10.0.0.2>',
      content: { body: 'v=0', contentType: 'application/sdp' },
    },
    { ended: (reason) => void ended.push(reason.by) },
  );
  link.clock.advance(100);
  isOpen = false;
  call.hangUp();
  link.clock.advance(100);
  assert.deepEqual(link.bob.sent.at(-1), 'SIP/2.0 200 OK');
  assert.deepEqual(ended, ['local']);
});
