import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResponse } from '../message/create-response.ts';
import type { Flow } from '../message/flow.ts';
import type { SipRequest } from '../message/message.ts';
import { parseMessage } from '../message/parse-message.ts';
import { printMessage } from '../message/print-message.ts';
import type { InviteTarget } from './invite-options.ts';
import type { SendTarget } from './send-target.ts';
import { createVirtualClock, recordingListener } from './testing/memory-link.ts';
import { createUserAgent } from './user-agent.ts';

const flowOf = (id: string): Flow => ({
  id,
  protocol: id.startsWith('udp') ? 'udp' : id.startsWith('ws') ? 'ws' : 'tcp',
  reliable: !id.startsWith('udp'),
  remoteAddress: '192.0.2.1',
  remotePort: 5060,
  localAddress: '10.0.0.1',
  localPort: 5060,
});

/** A user agent with these live flows; its requests are recorded and answered by hand. */
function world(live: readonly string[]) {
  const clock = createVirtualClock();
  const sent: { readonly target: SendTarget; readonly request: SipRequest; readonly text: string }[] = [];
  let tokens = 0;
  const ua = createUserAgent({
    clock,
    send(target, text) {
      const { message } = parseMessage(text);
      if (message?.kind === 'request') sent.push({ target, request: message, text });
    },
    flow: (id) => (live.includes(id) ? flowOf(id) : undefined),
    address: () => ({ host: '10.0.0.1', port: 5060 }),
    token: () => `t${tokens++}`,
    on: { request() {}, invite() {} },
  });
  const way = ({ target }: { readonly target: SendTarget }) =>
    'flow' in target ? target.flow : `${target.protocol} ${target.host}:${target.port}`;
  return {
    ua,
    sent,
    clock,
    ways: () => sent.filter(({ request }) => request.method !== 'ACK').map(way),
    call(targets: readonly InviteTarget[], body = 'offer') {
      const listener = recordingListener();
      const content = { body, contentType: 'application/sdp' };
      const call = ua.invite({ targets, from: '<sip:a@x>', to: '<sip:b@x>', content }, listener);
      return { call, heard: listener.log };
    },
    /** Answers the INVITE that went over a flow, or the last request. */
    answer(status: number, flow?: string) {
      const requests = sent.filter(({ request: { method } }) => method !== 'ACK');
      const { request } =
        flow === undefined
          ? requests.at(-1)!
          : requests.find((each) => each.request.method === 'INVITE' && way(each) === flow)!;
      ua.receive(printMessage(createResponse(request, status, undefined, { toTag: 'r' })), flowOf('tcp-1'));
    },
    fail() {
      const { text, target } = sent.at(-1)!;
      ua.transportFailed(text, target);
    },
  };
}

const flows: InviteTarget = {
  uri: 'sip:b@192.0.2.1;ob',
  flow: 'tcp-1',
  otherFlows: [
    { uri: 'sip:b@192.0.2.1;ob', flow: 'tcp-2', path: ['<sip:token@edge.example;lr;ob>'] },
    { uri: 'sip:b@192.0.2.1;ob', flow: 'tcp-3' },
  ],
};

test('RFC 5626 §5.3: after a failed flow, or a 430, the next flow of the same phone gets the call', () => {
  const w = world(['tcp-1', 'tcp-2', 'tcp-3']);
  w.call([flows]);
  w.fail();
  w.answer(430);
  assert.deepEqual(w.ways(), ['tcp-1', 'tcp-2', 'tcp-3']);
  assert.equal(new Set(w.sent.map(({ request }) => request.headers.get('Call-ID'))).size, 1);
  assert.deepEqual(
    w.sent
      .filter(({ request }) => request.method === 'INVITE')
      .map(({ request }) => request.headers.get('Route')),
    [undefined, '<sip:token@edge.example;lr;ob>', undefined],
  );
});

test('RFC 3326: when one of several phones answers, the CANCEL of each other one says that the call was completed elsewhere', () => {
  const live = ['udp-1', 'ws-1', 'tcp-1'];
  const w = world(live);
  const reasons = () =>
    w.sent.flatMap(({ request: { method, headers } }) =>
      method === 'CANCEL' ? [headers.get('Reason') ?? ''] : [],
    );
  const call = () => {
    const { call } = w.call(live.map((flow) => ({ uri: 'sip:b@192.0.2.1;ob', flow })));
    for (const flow of live) w.answer(180, flow);
    return call;
  };
  call();
  w.answer(200, 'tcp-1');
  const elsewhere = 'SIP;cause=200;text="Call completed elsewhere"';
  assert.deepEqual(reasons(), [elsewhere, elsewhere]);
  w.sent.length = 0;
  call().hangUp();
  assert.deepEqual(reasons(), ['', '', '']);
  w.sent.length = 0;
  call().hangUp(true);
  assert.deepEqual(reasons(), [elsewhere, elsewhere, elsewhere]);
});

test('A response of the phone itself is not a failure of its flow', () => {
  const w = world(['tcp-1', 'tcp-2', 'tcp-3']);
  const { heard } = w.call([flows]);
  w.answer(486);
  assert.deepEqual(w.ways(), ['tcp-1']);
  assert.deepEqual(heard, ['ended rejected 486']);
});

test('A call that was hung up tries no other flow', () => {
  const w = world(['tcp-1', 'tcp-2']);
  const { call } = w.call([flows]);
  call.hangUp();
  w.fail();
  assert.deepEqual(w.ways(), ['tcp-1']);
});

test('RFC 3327 §5.2: a Path is the Route of the INVITE, and gives the target without a live flow', () => {
  const w = world([]);
  w.call([{ uri: 'sip:b@10.9.9.9', flow: 'tcp-9', path: ['<sip:192.0.2.7:5070;lr>', '<sip:192.0.2.8;lr>'] }]);
  assert.deepEqual(w.ways(), ['udp 192.0.2.7:5070']);
  assert.deepEqual(w.sent[0]!.request.headers.all('Route'), [
    '<sip:192.0.2.7:5070;lr>',
    '<sip:192.0.2.8;lr>',
  ]);
  assert.equal(w.sent[0]!.request.uri, 'sip:b@10.9.9.9');
});

const large = 'x'.repeat(1300);

test('RFC 3261 §18.1.1: a request too large for a datagram goes over TCP, with a Via of TCP, and over UDP when that fails', () => {
  const w = world([]);
  w.call([{ uri: 'sip:b@192.0.2.7' }], large);
  assert.match(w.sent[0]!.request.headers.get('Via') ?? '', /^SIP\/2\.0\/TCP /);
  w.fail();
  assert.deepEqual(w.ways(), ['tcp 192.0.2.7:5060', 'udp 192.0.2.7:5060']);
  assert.match(w.sent[1]!.request.headers.get('Via') ?? '', /^SIP\/2\.0\/UDP /);
});

test('§18.1.1: small requests stay on UDP, and so do those of a UDP flow or with transport=udp', () => {
  const w = world(['udp-1']);
  w.call([{ uri: 'sip:b@192.0.2.7' }]);
  w.call([{ uri: 'sip:b@192.0.2.7;transport=udp' }], large);
  w.call([{ uri: 'sip:b@192.0.2.7', flow: 'udp-1' }], large);
  assert.deepEqual(w.ways(), ['udp 192.0.2.7:5060', 'udp 192.0.2.7:5060', 'udp-1']);
});

test('A request that is repeated over another connection is answered there', () => {
  const clock = createVirtualClock();
  const answers: string[] = [];
  const ua = createUserAgent({
    clock,
    send(target, text) {
      if ('flow' in target) answers.push(`${target.flow} ${text.slice(8, 11)}`);
    },
    flow: flowOf,
    address: () => ({ host: '10.0.0.1', port: 5060 }),
    token: () => 'tag',
    on: { request() {}, invite: (invite) => invite.accept({ body: 'v=0', contentType: 'application/sdp' }) },
  });
  const invite = [
    'INVITE sip:b@10.0.0.1 SIP/2.0',
    'Via: SIP/2.0/WS x.invalid;branch=z9hG4bKone',
    'From: <sip:a@x>;tag=a',
    'To: <sip:b@x>',
    'Call-ID: c',
    'CSeq: 1 INVITE',
    'Contact: <sip:a@x.invalid;transport=ws>',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
  ua.receive(invite, flowOf('tcp-1'));
  ua.receive(invite, flowOf('tcp-2'));
  clock.advance(500);
  assert.deepEqual(answers, ['tcp-1 200', 'tcp-2 200']);
});
