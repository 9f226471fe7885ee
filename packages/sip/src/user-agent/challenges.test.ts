import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { parseDigestFields } from '../auth/digest-fields.ts';
import { createResponse } from '../message/create-response.ts';
import type { SipRequest } from '../message/message.ts';
import { parseMessage } from '../message/parse-message.ts';
import { printMessage } from '../message/print-message.ts';
import { createMemoryLink, recordingListener } from './testing/memory-link.ts';

const hash = (algorithm: 'MD5' | 'SHA-256', of: string): string =>
  createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
    .update(of)
    .digest('hex');

const names = { uri: 'sip:b@10.0.0.2', from: '<sip:a@10.0.0.1>', to: '<sip:b@10.0.0.2>' };
const content = { body: 'v=0', contentType: 'application/sdp' };
const credentials = { username: 'a', password: 'secret' };

/** A challenge of a server or proxy. */
interface Challenge {
  readonly status: 401 | 407;
  readonly nonce: string;
  readonly realm?: string;
  readonly stale?: boolean;
}

/** Alice, whose requests a carrier answers. */
function carrier() {
  const link = createMemoryLink({}, { hash });
  const { alice, clock } = link;
  alice.drop = () => true;
  const outcomes: string[] = [];
  const listener = recordingListener(outcomes);

  const sent = (method: string): SipRequest[] =>
    alice.texts
      .filter((text) => text.startsWith(`${method} `))
      .map((text) => parseMessage(text).message as SipRequest);

  const answer = (method: string, status: number, headers: [string, string][] = []): void => {
    const contact: [string, string] = ['Contact', '<sip:b@10.0.0.2>'];
    const options = { toTag: 'b', headers: [...headers, contact] };
    link.inject('alice', printMessage(createResponse(sent(method).at(-1)!, status, undefined, options)));
    clock.advance(1);
  };

  return {
    outcomes,
    sent,
    answer,
    challenge(method: string, { status, realm = 'r', nonce, stale = false }: Challenge): void {
      const name = status === 407 ? 'Proxy-Authenticate' : 'WWW-Authenticate';
      const value = `Digest realm="${realm}", nonce="${nonce}", qop="auth", algorithm=MD5, stale=${stale}`;
      answer(method, status, [[name, value]]);
    },
    /** `realm nonce count` of the credentials of each request. */
    credentials: (method: string): string[] =>
      sent(method).map(({ headers }) =>
        ['Authorization', 'Proxy-Authorization']
          .flatMap((name) => headers.all(name))
          .map((value) => {
            const fields = parseDigestFields(value)!;
            return `${fields.get('realm')} ${fields.get('nonce')} ${Number(fields.get('nc'))}`;
          })
          .join(', '),
      ),
    request(): void {
      alice.ua.request({ ...names, method: 'MESSAGE', credentials }, (outcome) =>
        outcomes.push(outcome.type === 'response' ? `${outcome.response.status}` : outcome.failure),
      );
    },
    invite: () =>
      alice.ua.invite({ ...names, targets: [{ uri: names.uri }], content, credentials }, listener),
    /** Every timer has run, and nothing is left. */
    settle(): void {
      clock.advance(400_000);
      assert.deepEqual(alice.ua.census(), { transactions: 0, dialogs: 0, timers: 0 });
    },
  };
}

/** The requests by which a challenge meets the three ways of sending; each starts its request. */
const ways: Readonly<Record<string, (peer: ReturnType<typeof carrier>) => void>> = {
  MESSAGE: (peer) => peer.request(),
  INVITE: (peer) => void peer.invite(),
  BYE(peer) {
    const leg = peer.invite();
    peer.answer('INVITE', 200);
    leg.hangUp();
  },
};

for (const [method, start] of Object.entries(ways)) {
  test(`RFC 7616 §3.3: a request whose nonce went stale is sent with the new nonce (${method})`, () => {
    const peer = carrier();
    start(peer);
    peer.challenge(method, { status: 407, nonce: 'n1' });
    peer.challenge(method, { status: 407, nonce: 'n2', stale: true });
    peer.answer(method, 200);
    assert.deepEqual(peer.credentials(method), ['', 'r n1 1', 'r n2 1']);
    const sequence = peer.sent(method).map(({ headers }) => Number.parseInt(headers.get('CSeq')!, 10));
    assert.deepEqual(sequence, [sequence[0], sequence[0]! + 1, sequence[0]! + 2]);
    if (method !== 'BYE') assert.deepEqual(peer.outcomes, [method === 'INVITE' ? 'answered ' : '200']);
  });

  test(`RFC 3261 §22.3: a request carries the credentials of a proxy and of the server behind it, each nonce counted on (${method})`, () => {
    const peer = carrier();
    start(peer);
    peer.challenge(method, { status: 407, realm: 'proxy', nonce: 'p' });
    peer.challenge(method, { status: 401, realm: 'server', nonce: 's' });
    peer.challenge(method, { status: 407, realm: 'next proxy', nonce: 'q' });
    peer.answer(method, 200);
    assert.deepEqual(peer.credentials(method), [
      '',
      'proxy p 1',
      'server s 1, proxy p 2',
      'server s 2, proxy p 3, next proxy q 1',
    ]);
  });

  test(`RFC 3261 §22.2: a request whose credentials were refused is not sent again (${method})`, () => {
    for (const second of [{ nonce: 'n2' }, { nonce: 'n1', stale: true }]) {
      const peer = carrier();
      start(peer);
      peer.challenge(method, { status: 401, nonce: 'n1' });
      peer.challenge(method, { status: 401, ...second });
      assert.deepEqual(peer.credentials(method), ['', 'r n1 1']);
      if (method !== 'BYE') assert.match(peer.outcomes.join(), /^(?:ended rejected )?401$/);
      peer.settle();
    }
  });

  test(`${method} answers three challenges at most, however often its nonce goes stale`, () => {
    const peer = carrier();
    start(peer);
    for (let count = 1; count <= 5; count += 1)
      peer.challenge(method, { status: 401, nonce: `n${count}`, stale: true });
    assert.deepEqual(peer.credentials(method), ['', 'r n1 1', 'r n2 1', 'r n3 1']);
    peer.settle();
  });
}

test('A re-INVITE answers the challenge of a stale nonce, and the ACK of its 2xx carries the last credentials', () => {
  const peer = carrier();
  const leg = peer.invite();
  peer.answer('INVITE', 200);
  leg.offer(content);
  peer.challenge('INVITE', { status: 407, nonce: 'n1' });
  peer.challenge('INVITE', { status: 407, nonce: 'n2', stale: true });
  peer.answer('INVITE', 200);
  assert.deepEqual(peer.credentials('INVITE'), ['', '', 'r n1 1', 'r n2 1']);
  assert.equal(peer.credentials('ACK').at(-1), 'r n2 1');
  assert.deepEqual(peer.outcomes, ['answered ', 'offer-answered ']);
});
