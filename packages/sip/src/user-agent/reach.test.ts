import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResponse } from '../message/create-response.ts';
import type { Flow } from '../message/flow.ts';
import type { SipRequest } from '../message/message.ts';
import { parseMessage } from '../message/parse-message.ts';
import { printMessage } from '../message/print-message.ts';
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
const content = { body: 'offer', contentType: 'application/sdp' };
const hostTarget = (host: string): HostTarget => ({ protocol: 'udp', host, port: 5060 });

/** A user agent that may reach 192.0.2.0/24 only; `located` holds the addresses of names. */
function world(uri: string, located: readonly HostTarget[] = [], others: readonly string[] = []) {
  const clock = createVirtualClock();
  const sent: { readonly to: string; readonly request: SipRequest }[] = [];
  let tokens = 0;
  const ua = createUserAgent({
    clock,
    send(target, text) {
      const { message } = parseMessage(text);
      const to = 'host' in target ? target.host : target.flow;
      if (message?.kind === 'request') sent.push({ to, request: message });
    },
    flow: () => undefined,
    address: () => ({ host: '10.0.0.1', port: 5060 }),
    token: () => `t${tokens++}`,
    locate: (_uri, found) => found(located),
    on: { request() {}, invite() {} },
  });
  const listener = recordingListener();
  const call = ua.invite(
    {
      targets: [uri, ...others].map((each) => ({ uri: each })),
      from: '<sip:a@x>',
      to: '<sip:b@x>',
      content,
      reaches: (address) => address.startsWith('192.0.2.'),
    },
    listener,
  );
  return {
    clock,
    call,
    listener,
    ways: () => sent.map(({ to, request }) => `${request.method} ${to}`),
    answer(contact: string, from = sent[0]?.to) {
      const invite = sent.find(({ to, request }) => request.method === 'INVITE' && to === from)!.request;
      const headers = [['Contact', contact] as const];
      ua.receive(
        printMessage(createResponse(invite, 200, undefined, { toTag: 'r', headers, ...content })),
        flow,
      );
    },
  };
}

test('a call is not sent to a forbidden address, whether in the URI or behind a name', () => {
  const closed = [
    world('sip:b@10.0.0.7'),
    world('sip:b@example.com;maddr=10.0.0.7'),
    world('sip:b@example.com', [hostTarget('10.0.0.7')]),
    // One forbidden address refuses the name.
    world('sip:b@example.com', [hostTarget('192.0.2.7'), hostTarget('10.0.0.7')]),
    world('sip:b@example.com', [hostTarget('still.a.name')]),
  ];
  for (const { ways, clock, listener } of closed) {
    clock.advance(10);
    assert.deepEqual(ways(), []);
    assert.deepEqual(listener.log, ['ended transport-failed']);
  }
  assert.deepEqual(world('sip:b@192.0.2.7').ways(), ['INVITE 192.0.2.7']);
  assert.deepEqual(world('sip:b@example.com', [hostTarget('192.0.2.8')]).ways(), ['INVITE 192.0.2.8']);
});

test('a forbidden Contact gets nothing: ACK and BYE go to the target of the INVITE', () => {
  for (const contact of ['<sip:b@10.0.0.7>', '<sip:b@name.example>']) {
    const { ways, call, answer } = world('sip:b@192.0.2.7');
    answer(contact);
    call.hangUp();
    assert.deepEqual(ways(), ['INVITE 192.0.2.7', 'ACK 192.0.2.7', 'BYE 192.0.2.7'], contact);
  }
  const forked = world('sip:b@192.0.2.7', [], ['sip:b@192.0.2.8']);
  forked.answer('<sip:b@10.0.0.7>');
  assert.ok(forked.ways().includes('ACK 192.0.2.7'), 'the answering target of several');
  const { ways, call, answer } = world('sip:b@192.0.2.7');
  answer('<sip:b@192.0.2.9>');
  call.hangUp();
  assert.deepEqual(ways(), ['INVITE 192.0.2.7', 'ACK 192.0.2.9', 'BYE 192.0.2.9']);
});

test('a forbidden Contact of a callee with several addresses gets nothing: its requests go to the address that answered', () => {
  for (const answering of ['192.0.2.7', '192.0.2.8']) {
    const located = [hostTarget('192.0.2.7'), hostTarget('192.0.2.8')];
    const { ways, call, clock, answer } = world('sip:b@example.com', located);
    clock.advance(8000);
    assert.ok(call.nextAddress(8000));
    answer('<sip:b@10.0.0.7>', answering);
    call.hangUp();
    assert.deepEqual(ways().slice(-2), [`ACK ${answering}`, `BYE ${answering}`]);
  }
});

test('a caller’s forbidden Contact and Record-Route get nothing: BYE goes back to the source of the INVITE', () => {
  for (const [contact, recordRoute, way] of [
    ['<sip:b@10.0.0.7>', undefined, flow.id],
    ['<sip:b@192.0.2.9>', '<sip:10.0.0.7;lr>', flow.id],
    ['<sip:b@10.0.0.7>', '<sip:192.0.2.8;lr>', '192.0.2.8'],
    ['<sip:b@name.example>', undefined, flow.id],
  ] as const) {
    const ways: string[] = [];
    let serial = 0;
    const ua = createUserAgent({
      clock: createVirtualClock(),
      send(target, text) {
        if (parseMessage(text).message?.kind !== 'request') return;
        ways.push(`${text.split(' ')[0]} ${'host' in target ? target.host : target.flow}`);
      },
      flow: () => undefined,
      address: () => ({ host: '10.0.0.1', port: 5060 }),
      token: () => `t${serial++}`,
      on: {
        request() {},
        invite(invite) {
          invite.confine((address) => address.startsWith('192.0.2.'));
          invite.accept(content);
          invite.hangUp();
        },
      },
    });
    const invite = [
      'INVITE sip:a@10.0.0.1 SIP/2.0',
      'Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1',
      'Via: SIP/2.0/UDP 192.0.2.9;branch=z9hG4bK2',
      ...(recordRoute === undefined ? [] : [`Record-Route: ${recordRoute}`]),
      `Contact: ${contact}`,
      'From: <sip:b@x>;tag=b',
      'To: <sip:a@x>',
      'Call-ID: c',
      'CSeq: 1 INVITE',
      'Max-Forwards: 70',
      'Content-Length: 0',
      '',
      '',
    ];
    ua.receive(invite.join('\r\n'), flow);
    const ack = invite.map((line) => line.replace('INVITE', 'ACK').replace(/^To.*/, 'To: <sip:a@x>;tag=t0'));
    ua.receive(ack.join('\r\n').replace('z9hG4bK1', 'z9hG4bK3'), flow);
    assert.deepEqual(ways, [`BYE ${way}`]);
  }
});
