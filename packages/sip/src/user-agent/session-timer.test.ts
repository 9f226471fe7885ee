import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequest } from '../message/create-request.ts';
import { printMessage } from '../message/print-message.ts';
import type { Call } from './call-listener.ts';
import {
  createMemoryLink,
  type LinkOptions,
  type MemoryLink,
  recordingListener,
} from './testing/memory-link.ts';

const offer = { body: 'v=0 offer', contentType: 'application/sdp' };
const answer = { body: 'v=0 answer', contentType: 'application/sdp' };
const empty = { transactions: 0, dialogs: 0, timers: 0 };

interface Talk {
  readonly link: MemoryLink;
  readonly caller: Call;
  readonly alice: string[];
  readonly bob: string[];
}

/** An answered call. */
function talk(options: LinkOptions = {}, sessionInterval = { requestedS: 100, leastS: 90 }): Talk {
  const link = createMemoryLink(options, { sessionInterval });
  const [alice, bob] = [recordingListener(), recordingListener()];
  link.bob.onInvite = (invite) => {
    invite.listen({
      ...bob,
      offered(request) {
        bob.offered?.(request);
        invite.answerOffer(answer);
      },
    });
    invite.accept(answer);
  };
  const caller = link.alice.ua.invite(
    {
      targets: [{ uri: 'sip:bob@10.0.0.2' }],
      from: '<sip:alice@10.0.0.1>',
      to: '<sip:bob@10.0.0.2>',
      content: offer,
    },
    alice,
  );
  link.clock.advance(100);
  return { link, caller, alice: alice.log, bob: bob.log };
}

const sent = (lines: readonly string[], method: string) =>
  lines.filter((line) => line.startsWith(`${method} `)).length;

function leavesNothing({ link }: Talk): void {
  link.clock.advance(400_000);
  assert.deepEqual(link.alice.ua.census(), empty);
  assert.deepEqual(link.bob.ua.census(), empty);
}

test('RFC 4028 §10: the refresher sends an UPDATE after half of each interval, and the call goes on', () => {
  const call = talk();
  call.link.clock.advance(49_000);
  assert.equal(sent(call.link.alice.sent, 'UPDATE'), 0);
  call.link.clock.advance(2_000);
  assert.equal(sent(call.link.alice.sent, 'UPDATE'), 1);
  call.link.clock.advance(550_000);
  assert.equal(sent(call.link.alice.sent, 'UPDATE'), 12);
  assert.equal(sent(call.link.bob.sent, 'UPDATE'), 0, 'one side refreshes');
  assert.deepEqual(call.alice.at(-1), 'answered v=0 answer');
  call.caller.hangUp();
  leavesNothing(call);
});

test('RFC 4028 §7.4: a refresh by UPDATE has no offer, names the refresher and gets a Contact in its answer', () => {
  const call = talk();
  call.link.clock.advance(51_000);
  const update = call.link.alice.texts.find((text) => text.startsWith('UPDATE'))!;
  assert.match(update, /\r\nSession-Expires: 100;refresher=uac\r\n/);
  assert.match(update, /\r\nContact: <sip:10\.0\.0\.1:5060>\r\n/);
  assert.match(update, /\r\nContent-Length: 0\r\n\r\n$/);
  const said = call.link.bob.texts.find((text) => /\r\nCSeq: \d+ UPDATE\r\n/.test(text))!;
  assert.match(said, /^SIP\/2\.0 200 /);
  assert.match(said, /\r\nContact: <sip:10\.0\.0\.2:5060>\r\n/);
  assert.match(said, /\r\nRequire: timer\r\n/);
  call.caller.hangUp();
  leavesNothing(call);
});

test('RFC 4028 §7.1: a UAC that names the UAS as refresher is refreshed by it', () => {
  const named = /\r\nSession-Expires: 100\r\n/;
  const rewrite = (text: string) => text.replace(named, '\r\nSession-Expires: 100;refresher=uas\r\n');
  const call = talk({ rewrite });
  call.link.clock.advance(51_000);
  assert.equal(sent(call.link.bob.sent, 'UPDATE'), 1);
  assert.equal(sent(call.link.alice.sent, 'UPDATE'), 0);
  call.caller.hangUp();
  leavesNothing(call);
});

test('RFC 4028 §7.4: a peer whose Allow does not name UPDATE is refreshed by re-INVITE with the same description', () => {
  const rewrite = (text: string) => text.replace(/\r\nAllow: [^\r]*/, '\r\nAllow: INVITE, ACK, BYE, CANCEL');
  const call = talk({ rewrite });
  call.link.clock.advance(51_000);
  assert.equal(sent(call.link.alice.sent, 'UPDATE'), 0);
  assert.deepEqual(call.bob.slice(1), ['offered v=0 offer', 'acknowledged']);
  assert.deepEqual(call.alice.slice(1), ['offer-answered v=0 answer']);
  call.link.clock.advance(50_000);
  assert.equal(sent(call.link.alice.sent, 'INVITE'), 3);
  call.caller.hangUp();
  leavesNothing(call);
});

test('A peer that names UPDATE in Allow and refuses it with 405 is refreshed by re-INVITE', () => {
  const rewrite = (text: string) =>
    /^SIP[\s\S]*\r\nCSeq: \d+ UPDATE\r\n/.test(text) ? text.replace('200 OK', '405 No') : text;
  const call = talk({ rewrite });
  call.link.clock.advance(64_000);
  assert.equal(sent(call.link.alice.sent, 'UPDATE'), 1);
  assert.deepEqual(call.alice.slice(1), ['offer-answered v=0 answer']);
  call.caller.hangUp();
  leavesNothing(call);
});

test('RFC 4028 §10: when no refresh comes, both sides end the session with BYE before it expires', () => {
  const call = talk();
  call.link.alice.drop = (text) => text.startsWith('UPDATE');
  call.link.clock.advance(69_000);
  assert.equal(call.bob.at(-1), 'ended session-expired');
  leavesNothing(call);
  assert.equal(call.alice.at(-1)?.split(' ')[0], 'ended');
});

test('RFC 4028 §7.3: after a 422 the INVITE is sent again with the interval of its Min-SE', () => {
  const call = talk(
    { alice: { sessionInterval: { requestedS: 100, leastS: 90 } } },
    { requestedS: 1800, leastS: 200 },
  );
  assert.deepEqual(call.alice, ['answered v=0 answer']);
  const second = call.link.alice.texts.filter((text) => text.startsWith('INVITE'))[1]!;
  assert.match(second, /\r\nSession-Expires: 200\r\n[\s\S]*\r\nMin-SE: 200\r\n/);
  assert.match(second, /\r\nCSeq: 2 INVITE\r\n/);
  call.link.clock.advance(101_000);
  assert.match(call.link.alice.texts.at(-1)!, /^UPDATE[\s\S]*\r\nMin-SE: 200\r\n/);
  call.caller.hangUp();
  leavesNothing(call);
});

test('RFC 4028 §7.3: a 422 whose Min-SE is not above our interval ends the call', () => {
  const call = talk({
    rewrite: (text) => text.replace('\r\nSession-Expires: 100\r\n', '\r\nSession-Expires: 89\r\n'),
  });
  assert.deepEqual(call.alice, ['ended rejected 422']);
  leavesNothing(call);
});

test('RFC 4028 §9: a refused interval never reaches the owner, and the refusal names the shortest allowed one', () => {
  const link = createMemoryLink();
  const invite = createRequest({
    method: 'INVITE',
    uri: 'sip:bob@10.0.0.2',
    via: 'SIP/2.0/UDP 10.0.0.1:5060;branch=z9hG4bK1',
    from: '<sip:a@10.0.0.1>;tag=a',
    to: '<sip:bob@10.0.0.2>',
    callId: 'c',
    cseq: 1,
    contact: '<sip:a@10.0.0.1>',
    headers: [
      ['Supported', 'timer'],
      ['Session-Expires', '60'],
    ],
  });
  link.inject('bob', printMessage(invite));
  assert.match(link.bob.texts[0]!, /^SIP\/2\.0 422 [\s\S]*\r\nMin-SE: 90\r\n/);
  assert.equal(link.bob.invites.length, 0);
});
