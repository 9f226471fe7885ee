import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createResponse } from '../message/create-response.ts';
import type { Flow, Protocol } from '../message/flow.ts';
import type { SipRequest } from '../message/message.ts';
import { parseMessage } from '../message/parse-message.ts';
import { printMessage } from '../message/print-message.ts';
import type { Call } from './call-listener.ts';
import { createVirtualClock, recordingListener } from './testing/memory-link.ts';
import { createUserAgent } from './user-agent.ts';

const flowOf = (id: string, protocol: Protocol): Flow => ({
  id,
  protocol,
  reliable: true,
  remoteAddress: '192.0.2.1',
  remotePort: 40_000,
  localAddress: '10.0.0.1',
  localPort: 80,
});
const content = { body: 'offer', contentType: 'application/sdp' };
/** A GRUU of our own domain: a request sent to its host would come back to us. */
const contact = 'sip:ann@10.0.0.1;gr=urn:uuid:1';

/** The INVITE of the phone, without its CSeq. */
const lines = [
  'INVITE sip:b@10.0.0.1 SIP/2.0',
  'Via: SIP/2.0/WSS x.invalid;branch=z9hG4bKone',
  'From: <sip:ann@x>;tag=a',
  'To: <sip:b@x>',
  'Call-ID: c',
  `Contact: <${contact}>`,
];

/** A user agent, and a phone whose connections open and close. */
function world(protocol: Protocol = 'wss') {
  const clock = createVirtualClock();
  const open = new Set(['first']);
  const answers: string[] = [];
  const sent: { readonly way: string; readonly request: SipRequest }[] = [];
  const listener = recordingListener();
  let tokens = 0;
  let incoming: Call | undefined;
  const ua = createUserAgent({
    clock,
    send(target, text) {
      const { message } = parseMessage(text);
      const way = 'flow' in target ? target.flow : `${target.protocol} ${target.host}`;
      if (message?.kind === 'request') sent.push({ way, request: message });
      else if (message?.status === 200) answers.push(way);
      if ('flow' in target && !open.has(target.flow)) ua.transportFailed(text, target);
    },
    flow: (id) => (open.has(id) ? flowOf(id, protocol) : undefined),
    address: () => ({ host: '10.0.0.1', port: 80 }),
    token: () => `t${tokens++}`,
    on: {
      request() {},
      invite(invite) {
        incoming = invite;
        invite.identify(['e <urn:uuid:1>']);
        invite.listen(listener);
        invite.accept(content);
      },
    },
  });
  const receive = (text: string, flow: string) => ua.receive(text, flowOf(flow, protocol));
  const of = (method: string) => sent.filter(({ request }) => request.method === method);
  return {
    ua,
    clock,
    of,
    log: listener.log,
    /** The ways of the answers to its INVITE. */
    answers,
    ways: (method: string) => of(method).map(({ way }) => way),
    answer(method: string, flow: string) {
      const { request } = of(method).at(-1)!;
      const headers = [['Contact', `<${contact}>`]] as const;
      receive(printMessage(createResponse(request, 200, undefined, { toTag: 'r', headers })), flow);
    },
    lose(flow: string) {
      open.delete(flow);
      ua.flowClosed(flow);
    },
    comeBack(flow: string, replaced: readonly string[] = []) {
      open.add(flow);
      return ua.phoneReturned(['e <urn:uuid:1>', 'e ann@x.invalid:'], flow, replaced);
    },
    /** A call that we made, or that the phone made. */
    talk(side: 'called' | 'calling', isAcknowledged = true): Call {
      if (side === 'called') {
        const target = { uri: 'sip:ann@x.invalid', flow: 'first', phone: ['e ann@x.invalid:'] };
        const call = ua.invite({ targets: [target], from: '<sip:a@x>', to: '<sip:b@x>', content }, listener);
        this.answer('INVITE', 'first');
        return call;
      }
      receive([...lines, 'CSeq: 1 INVITE', 'Content-Length: 0', '', ''].join('\r\n'), 'first');
      if (isAcknowledged) this.acknowledge('first');
      return incoming!;
    },
    /** The ACK of the call that the phone made. */
    acknowledge(flow: string): void {
      const ack = lines.map((line) =>
        line.replace(/^INVITE/, 'ACK').replace('<sip:b@x>', '<sip:b@x>;tag=t0'),
      );
      receive([...ack, 'CSeq: 1 ACK', 'Content-Length: 0', '', ''].join('\r\n'), flow);
    },
  };
}

for (const side of ['called', 'calling'] as const) {
  describe(`a phone that was ${side} and lost its WebSocket`, () => {
    it('gets the BYE over the connection on which it has registered again', () => {
      const w = world();
      const call = w.talk(side);
      w.lose('first');
      w.comeBack('second');
      call.hangUp();
      assert.deepEqual(w.ways('BYE'), ['second']);
      w.answer('BYE', 'second');
      w.clock.advance(64_000);
      assert.deepEqual(w.ua.census(), { transactions: 0, dialogs: 0, timers: 0 });
    });

    it('gets a BYE that waits for its registration, and one whose answer the loss took', () => {
      for (const isSentBefore of [false, true]) {
        const w = world();
        const call = w.talk(side);
        if (isSentBefore) call.hangUp();
        w.lose('first');
        if (!isSentBefore) call.hangUp();
        assert.equal(w.log.at(-1), 'ended local');
        w.clock.advance(20_000);
        w.comeBack('second');
        assert.deepEqual(w.ways('BYE'), isSentBefore ? ['first', 'second'] : ['second']);
        const numbers = new Set(w.of('BYE').map(({ request }) => request.headers.get('CSeq')));
        assert.equal(numbers.size, 1);
        w.answer('BYE', 'second');
        w.clock.advance(64_000);
        assert.deepEqual(w.ua.census(), { transactions: 0, dialogs: 0, timers: 0 });
      }
    });

    it('gets a BYE that a connection did not carry which looked open, whether it comes back before or after the BYE fails', () => {
      for (const isBack of [false, true]) {
        const w = world();
        const call = w.talk(side);
        call.hangUp();
        if (isBack) w.comeBack('second', ['first']);
        w.ua.transportFailed(printMessage(w.of('BYE').at(-1)!.request), { flow: 'first' });
        assert.equal(w.log.at(-1), 'ended local');
        if (!isBack) w.comeBack('second', ['first']);
        assert.deepEqual(w.ways('BYE'), ['first', 'second']);
        w.answer('BYE', 'second');
        w.clock.advance(64_000);
        assert.deepEqual(w.ua.census(), { transactions: 0, dialogs: 0, timers: 0 });
      }
    });

    it('and does not come back is given up after 64*T1, and nothing is left', () => {
      const w = world();
      const call = w.talk(side);
      w.lose('first');
      call.offer(content);
      w.clock.advance(31_000);
      assert.deepEqual(w.ways('INVITE').slice(side === 'called' ? 1 : 0), []);
      w.clock.advance(2_000);
      w.clock.advance(64_000);
      assert.equal(w.log.at(-1)?.startsWith('ended'), true, w.log.join());
      assert.deepEqual(w.ua.census(), { transactions: 0, dialogs: 0, timers: 0 });
    });

    it('keeps its connection when the same phone registers over a second one, unless that replaces the first', () => {
      const w = world();
      const call = w.talk(side);
      assert.deepEqual([...w.comeBack('second')], ['first']);
      call.sendInfo({ body: 'one', contentType: 'text/plain' });
      assert.deepEqual([...w.comeBack('third', ['first'])], []);
      call.sendInfo({ body: 'two', contentType: 'text/plain' });
      assert.deepEqual(w.ways('INFO'), ['first', 'third']);
    });
  });
}

describe('a phone that was calling and lost its WebSocket before its ACK', () => {
  it('gets the answer again over its next connection, and the call goes on with its ACK there', () => {
    const w = world();
    const call = w.talk('calling', false);
    w.lose('first');
    w.clock.advance(6_000);
    w.comeBack('second');
    w.clock.advance(4_000);
    assert.equal(w.answers.at(-1), 'second');
    w.acknowledge('second');
    const repeated = w.answers.length;
    w.clock.advance(60_000);
    assert.equal(w.answers.length, repeated);
    assert.ok(!w.log.some((line) => line.startsWith('ended')), w.log.join());
    call.hangUp();
    assert.deepEqual(w.ways('BYE'), ['second']);
    w.answer('BYE', 'second');
    w.clock.advance(64_000);
    assert.deepEqual(w.ua.census(), { transactions: 0, dialogs: 0, timers: 0 });
  });

  it('and sends none over the next one gets a BYE there after 64*T1', () => {
    const w = world();
    w.talk('calling', false);
    w.lose('first');
    w.comeBack('second');
    w.clock.advance(31_000);
    assert.deepEqual(w.ways('BYE'), []);
    w.clock.advance(2_000);
    assert.equal(w.log.at(-1), 'ended no-ack');
    assert.deepEqual(w.ways('BYE'), ['second']);
    w.answer('BYE', 'second');
    w.clock.advance(64_000);
    assert.deepEqual(w.ua.census(), { transactions: 0, dialogs: 0, timers: 0 });
  });
});

it('Requests to a phone on TCP go to its Contact while its connection is closed, and follow its registration', () => {
  const w = world('tcp');
  const call = w.talk('called');
  w.lose('first');
  call.sendInfo({ body: 'one', contentType: 'text/plain' });
  w.comeBack('second');
  call.sendInfo({ body: 'two', contentType: 'text/plain' });
  assert.deepEqual(w.ways('INFO'), ['udp 10.0.0.1', 'second']);
});
