import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call, IncomingInvite } from './call-listener.ts';
import {
  createMemoryLink,
  type LinkOptions,
  type MemoryLink,
  recordingListener,
} from './testing/memory-link.ts';

const sdp = (body: string) => ({ body, contentType: 'application/sdp' });
const empty = { transactions: 0, dialogs: 0, timers: 0 };

interface Ringing {
  readonly link: MemoryLink;
  readonly caller: Call;
  readonly invite: IncomingInvite;
  readonly alice: string[];
  readonly bob: string[];
}

/** An incoming call; Alice supports reliable provisional responses. */
function ringing(options: LinkOptions = {}, body = 'offer'): Ringing {
  const link = createMemoryLink(options);
  const [alice, bob] = [recordingListener(), recordingListener()];
  link.bob.onInvite = (invite) => invite.listen(bob);
  const caller = link.alice.ua.invite(
    {
      targets: [{ uri: 'sip:bob@10.0.0.2' }],
      from: '<sip:alice@10.0.0.1>',
      to: '<sip:bob@10.0.0.2>',
      content: sdp(body),
    },
    alice,
  );
  link.clock.advance(20);
  return { link, caller, invite: link.bob.invites[0]!, alice: alice.log, bob: bob.log };
}

const sent = (lines: readonly string[], start: string) =>
  lines.filter((line) => line.startsWith(start)).length;

function leavesNothing({ link, caller, invite }: Ringing): void {
  caller.hangUp();
  link.clock.advance(50);
  // The injected requests used Alice's sequence numbers, so her BYE may be out of order.
  invite.hangUp();
  link.clock.advance(400_000);
  assert.deepEqual(link.alice.ua.census(), empty);
  assert.deepEqual(link.bob.ua.census(), empty);
}

test('RFC 3262 §3: a description in a provisional response is sent with Require: 100rel and RSeq, and acknowledged by PRACK', () => {
  const call = ringing();
  call.invite.ring(183, { content: sdp('early') });
  call.link.clock.advance(50);
  const text = call.link.bob.texts.find((each) => each.startsWith('SIP/2.0 183'))!;
  assert.match(text, /\r\nRequire: 100rel\r\n/);
  const rseq = /\r\nRSeq: (\d+)\r\n/.exec(text)?.[1];
  const prack = call.link.alice.texts.find((each) => each.startsWith('PRACK'))!;
  assert.match(prack, new RegExp(`\\r\\nRAck: ${rseq} 1 INVITE\\r\\n`));
  assert.match(prack, /\r\nCSeq: 2 PRACK\r\n/);
  call.link.clock.advance(30_000);
  assert.equal(sent(call.link.bob.sent, 'SIP/2.0 183'), 1, 'not repeated after the PRACK');
  assert.deepEqual(call.alice, ['ringing 183']);
  leavesNothing(call);
});

test('A bare 180 is not sent reliably to a caller that only supports it', () => {
  const call = ringing();
  call.invite.ring();
  call.link.clock.advance(50);
  assert.equal(sent(call.link.alice.sent, 'PRACK'), 0);
  leavesNothing(call);
});

test('RFC 3262 §3: a caller that requires 100rel gets every provisional response above 100 reliably', () => {
  const call = ringing({ rewrite: (text) => text.replace('Supported: timer, 100rel', 'Require: 100rel') });
  call.invite.ring();
  call.link.clock.advance(50);
  assert.equal(sent(call.link.alice.sent, 'PRACK'), 1);
  leavesNothing(call);
});

test('RFC 3262 §3: without 100rel in the INVITE no provisional response is sent reliably', () => {
  const call = ringing({ rewrite: (text) => text.replace(', 100rel', '') });
  call.invite.ring(183, { content: sdp('early') });
  call.link.clock.advance(50);
  assert.equal(sent(call.link.alice.sent, 'PRACK'), 0);
  leavesNothing(call);
});

test('RFC 3262 §3: a reliable response is retransmitted after T1, doubling, until the PRACK comes', () => {
  const call = ringing();
  call.link.alice.drop = (text) => text.startsWith('PRACK');
  call.invite.ring(183, { content: sdp('early') });
  call.link.clock.advance(499);
  assert.equal(sent(call.link.bob.sent, 'SIP/2.0 183'), 1);
  call.link.clock.advance(2);
  assert.equal(sent(call.link.bob.sent, 'SIP/2.0 183'), 2);
  call.link.clock.advance(3_000);
  assert.equal(sent(call.link.bob.sent, 'SIP/2.0 183'), 4, 'after 0.5, 1.5 and 3.5 s');
  assert.deepEqual(call.alice, ['ringing 183'], 'RFC 3262 §4: retransmissions are not reported again');
  call.link.alice.drop = () => false;
  call.link.clock.advance(1_500);
  call.link.clock.advance(20_000);
  assert.ok(sent(call.link.bob.sent, 'SIP/2.0 183') <= 5);
  leavesNothing(call);
});

test('RFC 3262 §3: after 64*T1 without a PRACK the INVITE is rejected with a 5xx', () => {
  const call = ringing();
  call.link.alice.drop = (text) => text.startsWith('PRACK');
  call.invite.ring(183, { content: sdp('early') });
  call.link.clock.advance(32_100);
  assert.deepEqual(call.alice, ['ringing 183', 'ended rejected 504']);
  assert.deepEqual(call.bob, ['ended no-ack']);
  leavesNothing(call);
});

test('RFC 3262 §3: no second reliable response before the PRACK of the first; their RSeq rise by one', () => {
  const call = ringing();
  call.invite.ring(183, { content: sdp('early') });
  call.invite.ring(180, { content: sdp('early') });
  assert.equal(sent(call.link.bob.sent, 'SIP/2.0 180'), 0);
  call.link.clock.advance(50);
  assert.deepEqual(call.alice, ['ringing 183', 'ringing 180']);
  const numbers = call.link.bob.texts.map((text) => /\r\nRSeq: (\d+)\r\n/.exec(text)?.[1]).filter(Boolean);
  assert.equal(Number(numbers[1]), Number(numbers[0]) + 1);
  assert.equal(sent(call.link.alice.sent, 'PRACK'), 2);
  leavesNothing(call);
});

test('RFC 3262 §3: no 2xx before the PRACK of a reliable response with a description', () => {
  const call = ringing();
  call.link.alice.drop = (text) => text.startsWith('PRACK');
  call.invite.ring(183, { content: sdp('early') });
  call.invite.accept(sdp('early'));
  call.link.clock.advance(400);
  assert.equal(sent(call.link.bob.sent, 'SIP/2.0 200'), 0);
  call.link.alice.drop = () => false;
  call.link.clock.advance(2_000);
  assert.deepEqual(call.alice, ['ringing 183', 'answered early']);
  assert.deepEqual(call.bob, ['acknowledged']);
  leavesNothing(call);
});

test('RFC 3262 §5: the answer of a reliable response holds when the 2xx carries none', () => {
  const withoutBody = (text: string): string =>
    /^SIP\/2\.0 200[\s\S]*\r\nCSeq: 1 INVITE\r\n/.test(text)
      ? text.replace('\r\n\r\nearly', '\r\n\r\n').replace('Content-Length: 5', 'Content-Length: 0')
      : text;
  const call = ringing({ rewrite: withoutBody });
  call.invite.ring(183, { content: sdp('early') });
  call.link.clock.advance(50);
  call.invite.accept(sdp('early'));
  call.link.clock.advance(50);
  assert.deepEqual(call.alice, ['ringing 183', 'answered early']);
  leavesNothing(call);
});

test('RFC 3261 §13.2.1: the owner gets the description of a provisional response, and after a reliable answer no other of that fork', () => {
  const link = createMemoryLink();
  const seen: string[] = [];
  link.bob.onInvite = (invite) => invite.listen({});
  const caller = link.alice.ua.invite(
    {
      targets: [{ uri: 'sip:bob@10.0.0.2' }],
      from: '<sip:alice@10.0.0.1>',
      to: '<sip:bob@10.0.0.2>',
      content: sdp('offer'),
    },
    { ringing: ({ status, body }) => void seen.push(`${status} ${body}`) },
  );
  link.clock.advance(20);
  const invite = link.bob.invites[0]!;
  invite.ring(183, { content: sdp('answer') });
  link.clock.advance(50);
  invite.ring(183, { content: sdp('another') });
  link.clock.advance(50);
  assert.deepEqual(seen, ['183 answer', '183 ']);
  caller.hangUp();
  link.clock.advance(400_000);
  assert.deepEqual(link.alice.ua.census(), empty);
  assert.deepEqual(link.bob.ua.census(), empty);
});

test('RFC 3262 §3: a PRACK that matches no unacknowledged response gets a 481', () => {
  const call = ringing();
  call.invite.ring(183, { content: sdp('early') });
  call.link.clock.advance(50);
  const prack = call.link.alice.texts.find((each) => each.startsWith('PRACK'))!;
  call.link.inject('bob', prack.replace(/branch=\w+/, 'branch=z9hG4bKother').replace('2 PRACK', '3 PRACK'));
  assert.match(call.link.bob.texts.at(-1)!, /^SIP\/2\.0 481 /);
  call.invite.accept(sdp('early'));
  call.link.clock.advance(50);
  call.link.inject('bob', prack.replace(/branch=\w+/, 'branch=z9hG4bKlate').replace('2 PRACK', '4 PRACK'));
  assert.match(call.link.bob.texts.at(-1)!, /^SIP\/2\.0 481 /, 'nor is any left after the 2xx');
  leavesNothing(call);
});

test('RFC 3262 §5: an offer in a reliable response is answered by the PRACK, and the 2xx carries none', () => {
  const answering = (text: string): string =>
    text.startsWith('PRACK')
      ? text.replace('Content-Length: 0\r\n\r\n', 'Content-Length: 6\r\n\r\nanswer')
      : text;
  const call = ringing({ rewrite: answering }, '');
  call.invite.ring(183, { content: sdp('offer') });
  call.link.clock.advance(50);
  assert.deepEqual(call.bob, ['acknowledged answer']);
  call.invite.accept(sdp('offer'));
  call.link.clock.advance(50);
  const success = call.link.bob.texts.find((each) =>
    /^SIP\/2\.0 200[\s\S]*\r\nCSeq: 1 INVITE\r\n/.test(each),
  )!;
  assert.match(success, /\r\n\r\n$/);
  leavesNothing(call);
});

/** An UPDATE of Alice before the answer, as from a phone that changes its address while it rings. */
function earlyUpdate(call: Ringing, body: string, cseq = 9): string {
  const invite = call.link.alice.texts[0]!;
  const tag = /\r\nTo: [^\r]*;tag=(\w+)/.exec(call.link.bob.texts.at(-1)!)?.[1];
  return invite
    .replace(/^INVITE/, 'UPDATE')
    .replace('CSeq: 1 INVITE', `CSeq: ${cseq} UPDATE`)
    .replace(/branch=\w+/, `branch=z9hG4bKupdate${cseq}`)
    .replace(/\r\nTo: ([^\r]*)/, `\r\nTo: $1;tag=${tag}`)
    .replace(/\r\nContent-Length: \d+\r\n\r\n[\s\S]*$/, `\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
}

test('RFC 3311 §5.2: before the answer to the INVITE an UPDATE with an offer gets 500 with Retry-After, one without gets 200', () => {
  const call = ringing();
  call.invite.ring();
  call.link.inject('bob', earlyUpdate(call, 'again'));
  assert.match(call.link.bob.texts.at(-1)!, /^SIP\/2\.0 500 [\s\S]*\r\nRetry-After: \d+\r\n/);
  call.link.inject('bob', earlyUpdate(call, '', 10));
  assert.match(call.link.bob.texts.at(-1)!, /^SIP\/2\.0 200 [\s\S]*\r\nCSeq: 10 UPDATE\r\n/);
  leavesNothing(call);
});

test('RFC 3311 §5.2: after an early answer the owner answers an UPDATE with an offer, and the 2xx repeats that answer', () => {
  const call = ringing();
  call.invite.ring(183, { content: sdp('early') });
  call.link.clock.advance(50);
  call.link.inject('bob', earlyUpdate(call, 'again'));
  assert.deepEqual(call.bob, ['offered again']);
  call.invite.answerOffer(sdp('moved'));
  assert.match(call.link.bob.texts.at(-1)!, /^SIP\/2\.0 200 [\s\S]*\r\n\r\nmoved$/);
  call.invite.accept(sdp('early'));
  call.link.clock.advance(50);
  assert.equal(call.alice.at(-1), 'answered moved');
  leavesNothing(call);
});

test('A CANCEL while an early offer waits answers both the offer and the INVITE', () => {
  const call = ringing();
  call.invite.ring(183, { content: sdp('early') });
  call.link.clock.advance(50);
  call.link.inject('bob', earlyUpdate(call, 'again'));
  call.caller.hangUp();
  call.link.clock.advance(50);
  assert.equal(sent(call.link.bob.sent, 'SIP/2.0 487'), 2);
  assert.deepEqual(call.bob.at(-1), 'ended remote-cancel');
  leavesNothing(call);
});

test('RFC 3311 §5.2: an UPDATE with an offer gets a 491 while the caller’s own offer has no answer', () => {
  const call = ringing();
  call.invite.ring();
  call.link.clock.advance(50);
  const ring = call.link.bob.texts.at(-1)!;
  const [, from] = /\r\nTo: ([^\r]*)/.exec(ring)!;
  const [, to] = /\r\nFrom: ([^\r]*)/.exec(ring)!;
  const [, callId] = /\r\nCall-ID: ([^\r]*)/.exec(ring)!;
  const update = (cseq: number, body: string) =>
    [
      'UPDATE sip:alice@10.0.0.1 SIP/2.0',
      `Via: SIP/2.0/UDP 10.0.0.2:5060;branch=z9hG4bKu${cseq}`,
      'Max-Forwards: 70',
      `From: ${from}`,
      `To: ${to}`,
      `Call-ID: ${callId}`,
      `CSeq: ${cseq} UPDATE`,
      'Contact: <sip:bob@10.0.0.2>',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
  call.link.inject('alice', update(1, 'offer'));
  assert.match(call.link.alice.texts.at(-1)!, /^SIP\/2\.0 491 /);
  call.link.inject('alice', update(2, ''));
  assert.match(call.link.alice.texts.at(-1)!, /^SIP\/2\.0 200 /);
  call.link.inject('alice', update(1, '').replace('z9hG4bKu1', 'z9hG4bKold'));
  assert.match(call.link.alice.texts.at(-1)!, /^SIP\/2\.0 500 /, 'RFC 3261 §12.2.2: out of order');
  leavesNothing(call);
});
