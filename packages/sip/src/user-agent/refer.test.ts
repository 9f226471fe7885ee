import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryLink, recordingListener } from './testing/memory-link.ts';

const content = { body: 'v=0', contentType: 'application/sdp' };

/** A call of Alice that Bob has answered; Bob accepts every REFER. */
function calling(subscribes: boolean) {
  const link = createMemoryLink();
  const log: string[] = [];
  const listener = {
    ...recordingListener(log),
    referAnswered: (status: number) => log.push(`refer-answered ${status}`),
    referNotified: (status: number, isLast: boolean) => log.push(`refer-notified ${status} ${isLast}`),
  };
  const asked: string[] = [];
  link.bob.onInvite = (invite) => {
    invite.listen({
      referred(request) {
        asked.push(request.headers.get('Refer-To') ?? '');
        invite.acceptReferral();
      },
    });
    invite.accept(content);
  };
  const options = {
    targets: [{ uri: 'sip:bob@10.0.0.2' }],
    from: '<sip:alice@10.0.0.1>',
    to: '<sip:bob@10.0.0.2>',
    content,
  };
  const call = link.alice.ua.invite(options, listener);
  link.clock.advance(100);
  call.refer('sip:carol@10.0.0.3', subscribes ? [] : [['Refer-Sub', 'false']]);
  link.clock.advance(100);
  return { link, log, asked, call, bob: link.bob.invites[0]! };
}

test('RFC 3515 §2.4.4: the caller of refer() learns each status, and the last one ends the subscription', () => {
  const { link, log, asked, call, bob } = calling(true);
  assert.deepEqual(asked, ['<sip:carol@10.0.0.3>']);
  bob.reportReferral(180);
  link.clock.advance(100);
  bob.reportReferral(200);
  link.clock.advance(100);
  assert.deepEqual(log.slice(1), [
    'refer-answered 202',
    'refer-notified 100 false',
    'refer-notified 180 false',
    'refer-notified 200 true',
  ]);
  call.hangUp();
});

test('RFC 3515 §2.4.4: while a REFER is open a second one is not sent', () => {
  const { link, log, asked, call } = calling(true);
  call.refer('sip:dave@10.0.0.4');
  link.clock.advance(100);
  assert.equal(log.at(-1), 'refer-answered 491');
  assert.equal(asked.length, 1);
  call.hangUp();
});

test('RFC 4488 §4: without a subscription the 202 is the end, and another REFER may follow', () => {
  const { link, log, asked, call, bob } = calling(false);
  assert.equal(log.at(-1), 'refer-answered 202');
  bob.reportReferral(200);
  call.refer('sip:dave@10.0.0.4', [['Refer-Sub', 'false']]);
  link.clock.advance(100);
  assert.deepEqual(asked, ['<sip:carol@10.0.0.3>', '<sip:dave@10.0.0.4>']);
  call.hangUp();
});

test('RFC 6665 §4.1.3: a NOTIFY that belongs to no REFER of this side is refused', () => {
  const { link, call } = calling(false);
  const [invite] = link.alice.texts;
  const { request } = link.bob.invites[0]!;
  const tag = /tag=([^;>\s]+)/.exec(request.headers.get('From') ?? '')?.[1];
  const answered = link.bob.texts.find((text) => text.startsWith('SIP/2.0 200')) ?? '';
  const bobTag = /\r\nTo: .*tag=([^;>\s]+)/.exec(answered)?.[1];
  assert.ok(invite);
  link.inject(
    'alice',
    [
      'NOTIFY sip:alice@10.0.0.1 SIP/2.0',
      'Via: SIP/2.0/UDP 10.0.0.2;branch=z9hG4bKstray',
      `From: <sip:bob@10.0.0.2>;tag=${bobTag}`,
      `To: <sip:alice@10.0.0.1>;tag=${tag}`,
      `Call-ID: ${request.headers.get('Call-ID')}`,
      'CSeq: 900 NOTIFY',
      'Event: refer',
      'Subscription-State: active',
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n'),
  );
  assert.match(link.alice.sent.at(-1) ?? '', /^SIP\/2\.0 405/);
  call.hangUp();
});
