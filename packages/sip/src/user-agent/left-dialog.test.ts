import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createResponse } from '../message/create-response.ts';
import type { Flow, Protocol } from '../message/flow.ts';
import type { SipRequest } from '../message/message.ts';
import { parseMessage } from '../message/parse-message.ts';
import { printMessage } from '../message/print-message.ts';
import type { DialogSnapshot } from './call-listener.ts';
import { createVirtualClock } from './testing/memory-link.ts';
import { createUserAgent } from './user-agent.ts';

const contact = 'sip:ann@192.0.2.1:5062';
const content = { body: 'offer', contentType: 'application/sdp' };
const ann = 'e <urn:uuid:1>';

/** A process with open flows, and the requests that it has sent. */
function createProcess(name: string, protocol: Protocol) {
  const clock = createVirtualClock();
  const open = new Set(['first']);
  const sent: { readonly way: string; readonly request: SipRequest }[] = [];
  let tokens = 0;
  const flowOf = (id: string): Flow => ({
    id,
    protocol,
    reliable: protocol !== 'udp',
    remoteAddress: '192.0.2.1',
    remotePort: 5062,
    localAddress: name,
    localPort: 5060,
  });
  const ua = createUserAgent({
    clock,
    send(target, text) {
      const { message } = parseMessage(text);
      const way = 'flow' in target ? target.flow : `${target.protocol} ${target.host}`;
      if (message?.kind === 'request') sent.push({ way, request: message });
    },
    flow: (id) => (open.has(id) ? flowOf(id) : undefined),
    address: () => ({ host: '10.0.0.1', port: 5060 }),
    token: () => `${name}${tokens++}`,
    on: { request() {} },
  });
  const of = (method: string) => sent.filter(({ request }) => request.method === method);
  return {
    ua,
    clock,
    open,
    of,
    answer(method: string) {
      const headers = [['Contact', `<${contact}>`]] as const;
      const response = createResponse(of(method).at(-1)!.request, 200, undefined, { toTag: 'anns', headers });
      ua.receive(printMessage(response), flowOf('first'));
    },
    receive: (text: string) => ua.receive(text, flowOf('first')),
  };
}

/** The snapshot of an answered call, as the record of the leg keeps it. */
function answered(protocol: Protocol, confined: { readonly reaches?: () => boolean } = {}) {
  const dead = createProcess('dead', protocol);
  const call = dead.ua.invite(
    {
      targets: [{ uri: contact, flow: 'first', phone: [ann] }],
      from: '<sip:7@x>',
      to: '<sip:ann@x>',
      content,
      ...confined,
    },
    {},
  );
  assert.equal(call.snapshot(), undefined, 'no dialog before the answer');
  dead.answer('INVITE');
  const snapshot = JSON.parse(JSON.stringify(call.snapshot())) as DialogSnapshot;
  return { snapshot, invite: dead.of('INVITE')[0]!.request };
}

const nothing = { transactions: 0, dialogs: 0, timers: 0 };

describe('the dialog of a process that has died', () => {
  it('is ended by another process with a BYE of a higher CSeq over the flow of the call', () => {
    const { snapshot, invite } = answered('udp');
    const next = createProcess('next', 'udp');
    next.ua.endDialog(snapshot);
    const [{ way, request }] = next.of('BYE') as [{ way: string; request: SipRequest }];
    assert.equal(way, 'first');
    assert.equal(request.uri, contact);
    for (const name of ['Call-ID', 'From']) assert.equal(request.headers.get(name), invite.headers.get(name));
    assert.equal(request.headers.get('To'), '<sip:ann@x>;tag=anns');
    assert.equal(request.headers.get('CSeq'), '10002 BYE');
    next.answer('BYE');
    next.clock.advance(40_000);
    assert.deepEqual(next.ua.census(), nothing);
  });

  it('without an answer is given up when its transaction has timed out', () => {
    const next = createProcess('next', 'udp');
    next.ua.endDialog(answered('udp').snapshot);
    next.clock.advance(40_000);
    assert.ok(next.of('BYE').length > 5, 'repeated over UDP');
    assert.deepEqual(next.ua.census(), nothing);
  });

  it('with a phone over WebSocket waits until the phone has registered over another connection', () => {
    const next = createProcess('next', 'wss');
    next.open.clear();
    next.ua.endDialog(answered('wss').snapshot);
    next.clock.advance(10_000);
    assert.deepEqual(next.of('BYE'), []);
    next.open.add('second');
    next.ua.phoneReturned([ann], 'second');
    assert.deepEqual(
      next.of('BYE').map(({ way }) => way),
      ['second'],
    );
    next.answer('BYE');
    next.clock.advance(40_000);
    assert.deepEqual(next.ua.census(), nothing);
  });

  it('with a peer that an outsider has named sends nothing to addresses that are closed', () => {
    const { snapshot } = answered('udp', { reaches: () => true });
    assert.equal(snapshot.isConfined, true);
    const next = createProcess('next', 'udp');
    next.open.clear();
    next.ua.endDialog(snapshot, { reaches: () => false });
    next.clock.advance(40_000);
    assert.deepEqual(next.of('BYE'), []);
    assert.deepEqual(next.ua.census(), nothing);
  });

  it('answers a BYE of its phone that crosses the own one', () => {
    const { snapshot } = answered('udp');
    const next = createProcess('next', 'udp');
    next.ua.endDialog(snapshot);
    const { callId, localTag } = snapshot.dialog;
    next.receive(
      `BYE sip:10.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.1:5062;branch=z9hG4bKa\r\nFrom: <sip:ann@x>;tag=anns\r\nTo: <sip:7@x>;tag=${localTag}\r\nCall-ID: ${callId}\r\nCSeq: 1 BYE\r\nContent-Length: 0\r\n\r\n`,
    );
    next.clock.advance(40_000);
    assert.deepEqual(next.ua.census(), nothing);
  });
});
