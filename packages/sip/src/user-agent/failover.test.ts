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
    /** Answers the last request, or the last one to the target of this number. */
    answer(status: number, headers: readonly (readonly [string, string])[] = [], number?: number) {
      const last = sent.findLast(
        ({ to, request: { method } }) =>
          !['ACK', 'CANCEL'].includes(method) && (number === undefined || to === hostTarget(number).host),
      )!;
      const toTag = `r${number ?? ''}`;
      ua.receive(printMessage(createResponse(last.request, status, undefined, { toTag, headers })), flow);
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

/** A call to three addresses, the first of which has been silent for 8 s. */
function silentCall() {
  const w = world();
  const listener = recordingListener();
  const dialled = w.ua.invite(call, listener);
  w.located();
  w.clock.advance(8000);
  return { ...w, log: listener.log, dialled, next: () => dialled.nextAddress(8000) };
}
const contact = [['Contact', '<sip:b@192.0.2.2>']] as const;

test('§4.3: a call goes on to its next address when the first has been silent for a while, with the same request', () => {
  const w = silentCall();
  assert.equal(w.next(), w.clock.now() + 8000);
  assert.deepEqual([...new Set(w.ways())], ['INVITE 192.0.2.1', 'INVITE 192.0.2.2']);
  const [first, second] = [w.sent[0]!.request.headers, w.sent.at(-1)!.request.headers];
  assert.equal(first.get('Call-ID'), second.get('Call-ID'));
  assert.notEqual(first.get('Via'), second.get('Via'));
  w.answer(180, contact);
  w.answer(200, contact);
  assert.deepEqual(w.log, ['ringing 180', 'answered ']);
  assert.equal(w.dialled.answeredBy, 0);
  w.dialled.hangUp();
  assert.equal(w.ways().at(-1), 'BYE 192.0.2.2');
  w.answer(200);
  w.clock.advance(70_000);
  assert.deepEqual(w.ua.census(), { transactions: 0, dialogs: 0, timers: 0 });
});

test('§9.1: an address that was given up is cancelled when it responds, and its ringing is not reported', () => {
  const w = silentCall();
  w.next();
  assert.ok(!w.ways().includes('CANCEL 192.0.2.1'));
  w.answer(180, [], 1);
  assert.equal(w.ways().at(-1), 'CANCEL 192.0.2.1');
  assert.deepEqual(w.log, []);
  w.answer(487, [], 1);
  w.answer(486, [], 2);
  assert.deepEqual(w.log, ['ended rejected 486']);
});

test('the answer of an address that was given up is the answer of the call, and the next address is cancelled', () => {
  const w = silentCall();
  w.next();
  w.answer(100, [], 2);
  w.answer(200, contact, 1);
  assert.deepEqual(w.log, ['answered ']);
  assert.deepEqual(w.ways().slice(-2), ['ACK 192.0.2.2', 'CANCEL 192.0.2.2']);
});

test('the refusal, and the timeout, of an address that was given up end no call', () => {
  const w = silentCall();
  w.next();
  w.answer(603, [], 1);
  w.clock.advance(8000);
  w.next();
  w.answer(100, [], 3);
  w.clock.advance(25_000);
  assert.deepEqual(w.log, [], 'the transaction with the second address has timed out');
  w.answer(200, contact, 3);
  assert.deepEqual(w.log, ['answered ']);
});

test('a call whose last address fails ends at once, also while an address that was given up is silent', () => {
  const w = silentCall();
  w.next();
  w.clock.advance(8000);
  w.next();
  w.answer(500, [], 3);
  assert.deepEqual(w.log, ['ended rejected 500']);
});

test('a call goes on to no other address before the time of its target is over', () => {
  const w = silentCall();
  const start = w.clock.now();
  w.next();
  w.clock.advance(3000);
  assert.equal(w.next(), start + 8000);
  w.answer(503, [], 2);
  assert.equal(w.next(), w.clock.now() + 8000, 'the third address was called now');
  assert.deepEqual([...new Set(w.ways())].filter((way) => way.startsWith('INVITE')).length, 3);
});

test('a call has no next address during its location, at its last one, after any response, and after its end', () => {
  const locating = world();
  const early = locating.ua.invite(call, {});
  locating.clock.advance(8000);
  assert.equal(early.nextAddress(8000), undefined);
  const last = silentCall();
  for (const round of [1, 2, 3]) {
    assert.equal(last.next() === undefined, round === 3);
    last.clock.advance(8000);
  }
  for (const status of [100, 180, 200, 486]) {
    const w = silentCall();
    w.answer(status, contact);
    assert.equal(w.next(), undefined, `after ${status}`);
  }
  const ended = silentCall();
  ended.dialled.hangUp();
  assert.equal(ended.next(), undefined);
});

test('addresses that did not respond are tried last for five minutes', () => {
  const w = silentCall();
  const order = () => {
    const seen = w.sent.length;
    w.ua.request(options, () => {});
    w.located();
    w.answer(503);
    w.answer(503);
    w.answer(200);
    return w.sent.slice(seen).map(({ to }) => to.at(-1));
  };
  assert.deepEqual(order(), ['1', '2', '3']);
  w.next();
  assert.deepEqual(order(), ['2', '3', '1']);
  w.ua.request(options, () => {});
  w.located();
  w.ua.transportFailed(w.sent.at(-1)!.text);
  assert.deepEqual(order(), ['3', '1', '2']);
  w.clock.advance(300_000);
  assert.deepEqual(order(), ['1', '2', '3']);
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
