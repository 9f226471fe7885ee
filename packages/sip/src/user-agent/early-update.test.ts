import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequest } from '../message/create-request.ts';
import { createResponse } from '../message/create-response.ts';
import type { Flow } from '../message/flow.ts';
import type { SipMessage, SipRequest } from '../message/message.ts';
import { tagOf } from '../message/name-addr.ts';
import { parseMessage } from '../message/parse-message.ts';
import { printMessage } from '../message/print-message.ts';
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
const sdp = 'application/sdp';

/** A caller, and the phones of its forks, each named by its tag and with messages written by hand. */
async function world() {
  const clock = createVirtualClock();
  const sent: SipMessage[] = [];
  let tokens = 0;
  const ua = createUserAgent({
    clock,
    send(_target, text) {
      const { message } = parseMessage(text);
      if (message) sent.push(message);
    },
    flow: () => flow,
    address: () => ({ host: '10.0.0.1', port: 5060 }),
    token: () => `t${tokens++}`,
    on: { request() {}, invite() {} },
  });
  const listener = recordingListener();
  const call = ua.invite(
    {
      targets: [{ uri: 'sip:b@192.0.2.1' }],
      from: '<sip:a@x>',
      to: '<sip:b@x>',
      content: { body: 'offer', contentType: sdp },
    },
    listener,
  );
  const invite = sent[0] as SipRequest;
  let cseq = 0;
  const receive = (message: SipMessage) => ua.receive(printMessage(message), flow);

  return {
    call,
    clock,
    heard: listener.log,
    /** A response to the INVITE; a 183 is reliable. */
    respond(status: number, tag: string, body: string) {
      const headers: [string, string][] = [['Contact', `<sip:${tag}@192.0.2.1>`]];
      if (status < 200) headers.push(['Require', '100rel'], ['RSeq', '1']);
      const content = body === '' ? {} : { body, contentType: sdp };
      receive(createResponse(invite, status, undefined, { toTag: tag, headers, ...content }));
    },
    update(tag: string, body: string) {
      const { headers } = invite;
      receive(
        createRequest({
          method: 'UPDATE',
          uri: 'sip:10.0.0.1',
          from: `<sip:b@x>;tag=${tag}`,
          to: headers.get('From') ?? '',
          callId: headers.get('Call-ID') ?? '',
          cseq: ++cseq,
          contact: `<sip:${tag}@192.0.2.1>`,
          headers: [['Via', `SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK${cseq}`]],
          body,
          contentType: sdp,
        }),
      );
    },
    /** The responses to the phones' UPDATEs: status, tag and body. */
    answers: () =>
      sent.flatMap((each) => {
        if (each.kind !== 'response' || !each.headers.get('CSeq')?.endsWith('UPDATE')) return [];
        return [`${each.status} ${tagOf(each.headers.get('From') ?? '')} ${each.body}`.trim()];
      }),
    retryAfter: () => sent.at(-1)?.headers.get('Retry-After'),
  };
}

test('RFC 3311 §5.2: an early UPDATE with an offer before the answer to ours gets 491', async () => {
  const w = await world();
  w.respond(180, 'one', '');
  w.update('one', 'hold');
  assert.deepEqual(w.answers(), ['491 one']);
  assert.ok(!w.heard.some((each) => each.startsWith('offered')));
});

test('RFC 3311 §5.2: after a reliable answer the owner answers an early UPDATE with 200, and the call goes on to its 2xx', async () => {
  const w = await world();
  w.respond(183, 'one', 'answer');
  w.update('one', 'other port');
  w.call.answerOffer({ body: 'agreed', contentType: sdp });
  assert.deepEqual(w.answers(), ['200 one agreed']);
  w.respond(200, 'one', '');
  assert.deepEqual(w.heard.slice(-2), ['offered other port', 'answered answer']);
});

test('RFC 3311 §5.2: an early UPDATE of any fork while another waits for the owner gets 500 with a Retry-After', async () => {
  const w = await world();
  w.respond(183, 'one', 'answer');
  w.respond(183, 'two', 'answer');
  w.update('one', 'a');
  w.update('two', 'b');
  assert.deepEqual(w.answers(), ['500 two']);
  assert.match(w.retryAfter() ?? '', /^\d+$/);
  w.call.refuseOffer();
  w.update('two', 'b');
  w.call.answerOffer({ body: 'agreed', contentType: sdp });
  assert.deepEqual(w.answers().slice(1), ['488 one', '200 two agreed']);
});

test('An early UPDATE without the owner’s answer in time gets 504, and 487 if the call ends meanwhile', async () => {
  const slow = await world();
  slow.respond(183, 'one', 'answer');
  slow.update('one', 'a');
  await slow.clock.advance(16_000);
  assert.deepEqual(slow.answers(), ['504 one']);
  const over = await world();
  over.respond(183, 'one', 'answer');
  over.update('one', 'a');
  over.call.hangUp();
  assert.deepEqual(over.answers(), ['487 one']);
});

test('An answered call keeps the pending offer of the winner, and refuses that of another fork', async () => {
  const w = await world();
  w.respond(183, 'one', 'answer');
  w.update('one', 'a');
  w.respond(200, 'one', '');
  w.call.answerOffer({ body: 'agreed', contentType: sdp });
  assert.deepEqual(w.answers(), ['200 one agreed']);
  const lost = await world();
  lost.respond(183, 'one', 'answer');
  lost.update('one', 'a');
  lost.respond(200, 'two', 'answer');
  assert.deepEqual(lost.answers(), ['487 one']);
});
