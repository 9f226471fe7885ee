import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResponse } from '../message/create-response.ts';
import type { Flow } from '../message/flow.ts';
import type { SipRequest } from '../message/message.ts';
import { parseMessage } from '../message/parse-message.ts';
import { printMessage } from '../message/print-message.ts';
import { parseVia } from '../message/via.ts';
import type { HostTarget } from './send-target.ts';
import { createVirtualClock, recordingListener } from './testing/memory-link.ts';
import { createUserAgent } from './user-agent.ts';

const flow: Flow = {
  id: 'udp-192.0.2.1-5060',
  protocol: 'udp',
  reliable: false,
  remoteAddress: '192.0.2.1',
  remotePort: 5060,
  localAddress: '10.0.0.1',
  localPort: 5060,
};
const hostTarget = (number: number): HostTarget => ({
  protocol: 'udp',
  host: `192.0.2.${number}`,
  port: 5060,
});
const options = { method: 'OPTIONS', uri: 'sip:example.com', from: '<sip:a@x>', to: '<sip:b@x>' };
const content = { body: 'offer', contentType: 'application/sdp' };
const call = { targets: [{ uri: 'sip:b@example.com' }], from: options.from, to: options.to, content };

/** A user agent whose requests are recorded with their target address, and answered by hand. */
function world(hosts: readonly HostTarget[] = [hostTarget(1), hostTarget(2), hostTarget(3)]) {
  const clock = createVirtualClock();
  const sent: { readonly to: string; readonly request: SipRequest; readonly text: string }[] = [];
  let found: ((targets: readonly HostTarget[]) => void) | undefined;
  let tokens = 0;
  const ua = createUserAgent({
    clock,
    send(target, text) {
      const { message } = parseMessage(text);
      const to = 'host' in target ? target.host : target.flow;
      if (message?.kind === 'request') sent.push({ to, request: message, text });
    },
    flow: () => undefined,
    address: () => ({ host: '10.0.0.1', port: 5060 }),
    token: () => `t${tokens++}`,
    hash: (_algorithm, text) => `hash${text.length}`,
    locate: (_uri, report) => {
      found = report;
    },
    on: { request() {}, invite() {} },
  });
  return {
    ua,
    clock,
    sent,
    located: () => found?.(hosts),
    /** Methods and addresses, in order. */
    ways: () => sent.map(({ to, request }) => `${request.method} ${to}`),
    answer(status: number, headers: readonly (readonly [string, string])[] = []) {
      const last = sent.filter(({ request }) => request.method !== 'ACK').at(-1)!;
      ua.receive(
        printMessage(createResponse(last.request, status, undefined, { toTag: 'r', headers })),
        flow,
      );
    },
  };
}

test('RFC 3263 §4.3: after 503 the request goes to the next target, in a new transaction, until one answers', () => {
  const w = world();
  const outcomes: unknown[] = [];
  w.ua.request(options, (outcome) =>
    outcomes.push('response' in outcome ? outcome.response.status : outcome.failure),
  );
  assert.deepEqual(w.ways(), []);
  w.located();
  w.answer(503);
  w.answer(503);
  assert.deepEqual(outcomes, []);
  w.answer(200);
  assert.deepEqual(w.ways(), ['OPTIONS 192.0.2.1', 'OPTIONS 192.0.2.2', 'OPTIONS 192.0.2.3']);
  assert.deepEqual(outcomes, [200]);
  const branches = w.sent.map(({ request }) => parseVia(request.headers.get('Via')!)?.branch);
  assert.equal(new Set(branches).size, 3);
  assert.equal(new Set(w.sent.map(({ request }) => request.headers.get('Call-ID'))).size, 1);
});

test('§4.3: a failed transport and a timeout try the next target; the last failure is the outcome', () => {
  const w = world([hostTarget(1), hostTarget(2)]);
  const outcomes: unknown[] = [];
  w.ua.request(options, (outcome) =>
    outcomes.push('response' in outcome ? outcome.response.status : outcome.failure),
  );
  w.located();
  w.ua.transportFailed(w.sent[0]!.text);
  assert.deepEqual(outcomes, []);
  w.clock.advance(33_000);
  assert.deepEqual(outcomes, ['timeout']);
  assert.deepEqual([...new Set(w.ways())], ['OPTIONS 192.0.2.1', 'OPTIONS 192.0.2.2']);
});

test('the answer to a challenge goes to the target that made it', () => {
  const w = world([hostTarget(1), hostTarget(2), hostTarget(3)]);
  const outcomes: unknown[] = [];
  const credentials = { username: 'a', password: 'b' };
  w.ua.request({ ...options, credentials }, (outcome) => outcomes.push(outcome.type));
  w.located();
  w.answer(503);
  w.answer(401, [['WWW-Authenticate', 'Digest realm="r", nonce="n"']]);
  w.answer(200);
  assert.deepEqual(w.ways(), ['OPTIONS 192.0.2.1', 'OPTIONS 192.0.2.2', 'OPTIONS 192.0.2.2']);
});

test('a request without a target fails, after the call returns', () => {
  const w = world([]);
  const outcomes: unknown[] = [];
  w.ua.request(options, (outcome) => outcomes.push('failure' in outcome && outcome.failure));
  const listener = recordingListener();
  w.located();
  w.ua.invite(call, listener);
  w.located();
  assert.deepEqual([outcomes, listener.log], [[], []]);
  w.clock.advance(10);
  assert.deepEqual([outcomes, listener.log], [['transport-failed'], ['ended transport-failed']]);
});

test('§4.3: an INVITE tries the next target after 503, also after 100; its dialog is that of the answering target', () => {
  const w = world();
  const listener = recordingListener();
  const dialled = w.ua.invite(call, listener);
  w.located();
  w.answer(100);
  w.answer(503);
  w.answer(180);
  w.answer(200, [['Contact', '<sip:b@192.0.2.2>']]);
  assert.deepEqual(w.ways(), ['INVITE 192.0.2.1', 'ACK 192.0.2.1', 'INVITE 192.0.2.2', 'ACK 192.0.2.2']);
  assert.deepEqual(listener.log, ['ringing 180', 'answered ']);
  dialled.hangUp();
  assert.equal(w.ways().at(-1), 'BYE 192.0.2.2');
});

test('an INVITE that has rung, or got another refusal, tries no other target', () => {
  for (const statuses of [[180, 503], [486], [404]]) {
    const w = world();
    const listener = recordingListener();
    w.ua.invite(call, listener);
    w.located();
    for (const status of statuses) w.answer(status);
    assert.equal(listener.log.at(-1), `ended rejected ${statuses.at(-1)}`);
    assert.deepEqual([...new Set(w.ways())], ['INVITE 192.0.2.1', 'ACK 192.0.2.1']);
  }
});

test('a challenged INVITE is sent again to the target that challenged it', () => {
  const w = world();
  w.ua.invite({ ...call, credentials: { username: 'a', password: 'b' } }, recordingListener());
  w.located();
  w.answer(503);
  w.answer(407, [['Proxy-Authenticate', 'Digest realm="r", nonce="n"']]);
  assert.deepEqual(
    w.ways().filter((way) => way.startsWith('INVITE')),
    ['INVITE 192.0.2.1', 'INVITE 192.0.2.2', 'INVITE 192.0.2.2'],
  );
});

test('a call that is hung up during its location sends nothing, and leaves nothing', () => {
  const w = world();
  const listener = recordingListener();
  w.ua.invite(call, listener).hangUp();
  w.located();
  w.clock.advance(40_000);
  assert.deepEqual([w.ways(), listener.log], [[], ['ended local']]);
  assert.deepEqual(w.ua.census(), { transactions: 0, dialogs: 0, timers: 0 });
});

test('a call that is hung up between two targets tries no further one', () => {
  const w = world();
  const dialled = w.ua.invite(call, recordingListener());
  w.located();
  dialled.hangUp();
  w.answer(503);
  w.clock.advance(40_000);
  assert.deepEqual(w.ways(), ['INVITE 192.0.2.1', 'ACK 192.0.2.1']);
  assert.deepEqual(w.ua.census(), { transactions: 0, dialogs: 0, timers: 0 });
});

test('a closed user agent sends nothing when its DNS answer comes', () => {
  const w = world();
  w.ua.invite(call, recordingListener());
  w.ua.close();
  w.located();
  assert.deepEqual(w.ways(), []);
});

test('an address in the URI is not located', () => {
  const w = world();
  for (const uri of ['sip:192.0.2.9', 'sip:[2001:db8::9]', 'sip:x;maddr=192.0.2.8'])
    w.ua.request({ ...options, uri }, () => {});
  assert.deepEqual(w.ways(), ['OPTIONS 192.0.2.9', 'OPTIONS 2001:db8::9', 'OPTIONS 192.0.2.8']);
});
