import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from './call-listener.ts';
import {
  createMemoryLink,
  type LinkOptions,
  type MemoryLink,
  recordingListener,
} from './testing/memory-link.ts';
import type { UserAgentDeps } from './user-agent-options.ts';

const offer = { body: 'v=0 offer', contentType: 'application/sdp' };
const answer = { body: 'v=0 answer', contentType: 'application/sdp' };
const empty = { transactions: 0, dialogs: 0, timers: 0 };

function call(link: MemoryLink, listener = recordingListener()): { leg: Call; log: string[] } {
  const leg = link.alice.ua.invite(
    {
      targets: [{ uri: 'sip:bob@10.0.0.2' }],
      from: '"Alice" <sip:alice@10.0.0.1>',
      to: '<sip:bob@10.0.0.2>',
      content: offer,
    },
    listener,
  );
  return { leg, log: listener.log };
}

/** Runs the body, then all timers, and counts the state that is left. */
function onLink(
  options: LinkOptions,
  body: (link: MemoryLink) => void,
  overrides: Partial<UserAgentDeps> = {},
): void {
  const link = createMemoryLink(options, overrides);
  body(link);
  link.clock.advance(400_000);
  assert.deepEqual(link.alice.ua.census(), empty, 'alice keeps nothing');
  assert.deepEqual(link.bob.ua.census(), empty, 'bob keeps nothing');
  assert.equal(link.clock.pending(), 0, 'no clock timer runs');
}

function answerAtOnce(link: MemoryLink): { log: string[] } {
  const listener = recordingListener();
  link.bob.onInvite = (invite) => {
    invite.listen(listener);
    invite.ring();
    invite.accept(answer);
  };
  return listener;
}

test('A call rings, is answered, acknowledged and hung up by the caller', () => {
  onLink({}, (link) => {
    const bob = answerAtOnce(link);
    const { leg, log } = call(link);
    link.clock.advance(100);
    assert.deepEqual(log, ['ringing 180', 'answered v=0 answer']);
    assert.deepEqual(bob.log, ['acknowledged']);
    leg.hangUp();
    link.clock.advance(100);
    assert.deepEqual(log.slice(2), ['ended local']);
    assert.deepEqual(bob.log.slice(1), ['ended remote-bye']);
  });
});

test('A call is hung up by the callee', () => {
  onLink({}, (link) => {
    const bob = answerAtOnce(link);
    const { log } = call(link);
    link.clock.advance(100);
    link.bob.invites[0]!.hangUp();
    link.clock.advance(100);
    assert.equal(log.at(-1), 'ended remote-bye');
    assert.equal(bob.log.at(-1), 'ended local');
  });
});

for (const protocol of ['udp', 'tcp'] as const) {
  test(`Over ${protocol} a rejected call ends once with the status of its response`, () => {
    onLink({ protocol }, (link) => {
      link.bob.onInvite = (invite) => invite.reject(486);
      const { log } = call(link);
      link.clock.advance(100);
      assert.deepEqual(log, ['ended rejected 486']);
    });
  });
}

test('§9.1: a CANCEL ends a ringing call, and its INVITE is answered with 487', () => {
  onLink({}, (link) => {
    const bob = recordingListener();
    link.bob.onInvite = (invite) => {
      invite.listen(bob);
      invite.ring();
    };
    const { leg, log } = call(link);
    link.clock.advance(100);
    leg.hangUp();
    link.clock.advance(100);
    assert.deepEqual(log, ['ringing 180', 'ended local']);
    assert.deepEqual(bob.log, ['ended remote-cancel']);
    assert.ok(link.bob.sent.includes('SIP/2.0 487 Request Terminated'));
  });
});

test('§9.1: no CANCEL is sent before a provisional response has arrived', () => {
  onLink({}, (link) => {
    const { leg, log } = call(link);
    leg.hangUp();
    link.clock.advance(150);
    assert.deepEqual(link.alice.sent, ['INVITE sip:bob@10.0.0.2 SIP/2.0']);
    assert.deepEqual(log, ['ended local']);
    // Bob's transaction sends 100 (Trying) after 200 ms.
    link.clock.advance(200);
    assert.equal(link.alice.sent[1], 'CANCEL sip:bob@10.0.0.2 SIP/2.0');
  });
});

test('§13.2.2.4: a 2xx that crosses the CANCEL is acknowledged and ended with BYE', () => {
  onLink({}, (link) => {
    const bob = recordingListener();
    link.bob.onInvite = (invite) => {
      invite.listen(bob);
      invite.ring();
    };
    const { leg, log } = call(link);
    link.clock.advance(100);
    leg.hangUp();
    link.bob.invites[0]!.accept(answer);
    link.clock.advance(200);
    assert.deepEqual(log, ['ringing 180', 'ended local']);
    assert.deepEqual(bob.log, ['acknowledged', 'ended remote-bye']);
  });
});

test('§13.2.2.4: a repeated 2xx gets the same ACK again, and the answer of another phone one with a branch of its own', () => {
  onLink({}, (link) => {
    answerAtOnce(link);
    const { leg } = call(link);
    link.clock.advance(100);
    const success = link.bob.texts.find((text) => text.startsWith('SIP/2.0 200'))!;
    const branches = () =>
      link.alice.texts.flatMap((text) => (text.startsWith('ACK') ? [/branch=\S+/.exec(text)![0]] : []));
    link.inject('alice', success);
    const acks = link.alice.texts.filter((text) => text.startsWith('ACK'));
    assert.equal(acks.length, 2);
    assert.equal(acks[1], acks[0]);
    link.inject('alice', success.replace(/^(To: .*;tag=)\w+/m, '$1other'));
    link.inject('alice', success.replace(/^(To: .*;tag=)\w+/m, '$1other'));
    assert.equal(new Set(branches()).size, 2);
    assert.equal(branches().length, 4);
    const invite = link.alice.texts.find((text) => text.startsWith('INVITE'))!;
    assert.ok(!branches().includes(/branch=\S+/.exec(invite)![0]));
    leg.hangUp();
  });
});

test('An INVITE without any response ends with no-response after 64*T1', () => {
  onLink({}, (link) => {
    link.alice.drop = () => true;
    const { log } = call(link);
    link.clock.advance(31_900);
    assert.deepEqual(log, []);
    link.clock.advance(200);
    assert.deepEqual(log, ['ended no-response']);
    // 0.5 + 1 + 2 + 4 + 8 + 16 = 31.5 s: the INVITE and six retransmissions.
    assert.equal(link.alice.sent.length, 7);
  });
});

test('A target that no transport reaches ends the leg with transport-failed, after invite has returned', () => {
  onLink({}, (link) => {
    const log: string[] = [];
    link.alice.ua.invite(
      { targets: [{ uri: 'tel:+12025550100' }], from: '<sip:a@x>', to: '<sip:b@x>', content: offer },
      recordingListener(log),
    );
    assert.deepEqual(log, []);
    link.clock.advance(50);
    assert.deepEqual(log, ['ended transport-failed']);
  });
});

test('BYE crosses BYE: both get 200 and both legs end with local', () => {
  onLink({}, (link) => {
    const bob = answerAtOnce(link);
    const { leg, log } = call(link);
    link.clock.advance(100);
    leg.hangUp();
    link.bob.invites[0]!.hangUp();
    link.clock.advance(100);
    assert.equal(log.at(-1), 'ended local');
    assert.equal(bob.log.at(-1), 'ended local');
    assert.equal(link.alice.sent.at(-1), 'SIP/2.0 200 OK');
    assert.equal(link.bob.sent.at(-1), 'SIP/2.0 200 OK');
  });
});

test('§13.3.1.4: without ACK the 2xx is repeated for 64*T1, then the callee sends BYE', () => {
  onLink({}, (link) => {
    const bob = answerAtOnce(link);
    link.alice.drop = (text) => text.startsWith('ACK');
    const { log } = call(link);
    link.clock.advance(33_000);
    assert.deepEqual(bob.log, ['ended no-ack']);
    assert.equal(log.at(-1), 'ended remote-bye');
    const answers = link.bob.sent.filter((line) => line === 'SIP/2.0 200 OK').length;
    // T1 doubling up to T2: at 0, 0.5, 1.5, 3.5, 7.5, 11.5, 15.5, 19.5, 23.5, 27.5 and 31.5 s.
    assert.equal(answers, 11);
    assert.equal(link.alice.sent.filter((line) => line.startsWith('ACK')).length, answers);
  });
});

test('§15: a hang-up by the callee before the ACK sends BYE after it', () => {
  onLink({}, (link) => {
    const bob = answerAtOnce(link);
    link.alice.drop = (text) => text.startsWith('ACK');
    const { log } = call(link);
    link.clock.advance(100);
    link.bob.invites[0]!.hangUp();
    assert.deepEqual(bob.log, ['ended local']);
    link.clock.advance(100);
    assert.ok(!link.bob.sent.some((line) => line.startsWith('BYE')));
    link.alice.drop = () => false;
    link.clock.advance(1000);
    assert.ok(link.bob.sent.some((line) => line.startsWith('BYE')));
    assert.equal(log.at(-1), 'ended remote-bye');
  });
});

test('A re-INVITE is offered to the owner and answered; its ACK comes back', () => {
  onLink({}, (link) => {
    const bob = answerAtOnce(link);
    const { leg, log } = call(link);
    link.clock.advance(100);
    leg.offer({ body: 'hold', contentType: 'application/sdp' });
    link.clock.advance(20);
    assert.equal(bob.log.at(-1), 'offered hold');
    link.bob.invites[0]!.answerOffer({ body: 'held', contentType: 'application/sdp' });
    link.clock.advance(100);
    assert.equal(log.at(-1), 'offer-answered held');
    assert.equal(bob.log.at(-1), 'acknowledged');
    link.bob.invites[0]!.offer({ body: 'resume', contentType: 'application/sdp' });
    link.clock.advance(20);
    assert.equal(log.at(-1), 'offered resume');
    leg.refuseOffer();
    link.clock.advance(20);
    assert.equal(bob.log.at(-1), 'offer-refused 488');
    leg.hangUp();
  });
});

test('§14.1: after glare both sides back off in their bands and one of them gets through', () => {
  onLink({}, (link) => {
    const bob = answerAtOnce(link);
    const { leg, log } = call(link);
    link.clock.advance(100);
    leg.offer({ body: 'from alice', contentType: 'application/sdp' });
    link.bob.invites[0]!.offer({ body: 'from bob', contentType: 'application/sdp' });
    link.clock.advance(20);
    assert.equal(link.alice.sent.filter((line) => line.includes('491')).length, 1);
    assert.equal(link.bob.sent.filter((line) => line.includes('491')).length, 1);
    link.clock.advance(2_060);
    // Bob does not own the Call-ID: 0 to 2 s.
    assert.equal(log.at(-1), 'offered from bob');
    leg.answerOffer(answer);
    link.clock.advance(4_000);
    assert.ok(bob.log.includes('offered from alice'));
    link.bob.invites[0]!.answerOffer(answer);
    link.clock.advance(100);
    assert.equal(log.at(-1), 'offer-answered v=0 answer');
    leg.hangUp();
  });
});

test('INFO reaches the owner and is answered with 200', () => {
  onLink({}, (link) => {
    const bob = answerAtOnce(link);
    const { leg, log } = call(link);
    link.clock.advance(100);
    leg.sendInfo({ body: 'Signal=5', contentType: 'application/dtmf-relay' });
    link.clock.advance(100);
    assert.equal(bob.log.at(-1), 'info Signal=5');
    assert.equal(log.at(-1), 'info-answered 200');
    leg.hangUp();
  });
});

test('§12.2.1.2: a dialog that the peer has lost ends with dialog-lost', () => {
  onLink({}, (link) => {
    answerAtOnce(link);
    const { leg, log } = call(link);
    link.clock.advance(100);
    link.bob.drop = (text) => text.startsWith('BYE');
    link.bob.invites[0]!.hangUp();
    link.clock.advance(40_000);
    assert.equal(log.at(-1), 'answered v=0 answer');
    leg.sendInfo({ body: 'x', contentType: 'text/plain' });
    link.clock.advance(100);
    assert.equal(log.at(-1), 'ended dialog-lost');
  });
});

test('§13.3.1.1: the provisional response is repeated every minute', () => {
  onLink({}, (link) => {
    link.bob.onInvite = (invite) => invite.ring();
    const { leg, log } = call(link);
    link.clock.advance(125_000);
    assert.deepEqual(log, ['ringing 180', 'ringing 180', 'ringing 180']);
    leg.hangUp();
  });
});

for (const seed of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]) {
  test(`Under 30 % loss, duplicates and reordering a call completes and leaves nothing behind (seed ${seed})`, () => {
    onLink({ loss: 0.3, duplicates: 0.2, jitterMs: 700, seed }, (link) => {
      const bob = answerAtOnce(link);
      const { leg, log } = call(link);
      link.clock.advance(60_000);
      assert.ok(log.includes('answered v=0 answer'), log.join());
      assert.ok(bob.log.includes('acknowledged'), bob.log.join());
      leg.hangUp();
      link.clock.advance(40_000);
      assert.equal(log.filter((line) => line.startsWith('ended')).length, 1);
      assert.deepEqual(bob.log.at(-1), 'ended remote-bye');
    });
  });
}

test('An exception of a listener is counted, and the user agent goes on', () => {
  onLink({}, (link) => {
    link.bob.onInvite = (invite) => {
      invite.listen({
        ended() {
          throw new Error('owner');
        },
      });
      invite.accept(answer);
    };
    const { leg } = call(link);
    link.clock.advance(100);
    leg.hangUp();
    link.clock.advance(100);
    assert.equal(link.bob.ua.counters.listenerErrors, 1);
  });
});

test('A re-INVITE without a final response does not outlive its session by more than 64*T1', () => {
  onLink({}, (link) => {
    answerAtOnce(link);
    const { leg } = call(link);
    link.clock.advance(100);
    leg.offer(offer);
    link.clock.advance(300);
    assert.equal(link.bob.sent.at(-1), 'SIP/2.0 100 Trying');
    link.alice.drop = () => true;
    leg.hangUp();
    link.clock.advance(33_000);
    assert.deepEqual(link.alice.ua.census(), empty);
    link.bob.invites[0]!.hangUp();
  });
});
