import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Call, CallListener, IncomingInvite } from './call-listener.ts';
import { createMemoryLink, createVirtualClock, recordingListener } from './testing/memory-link.ts';

const sdp = { body: 'sdp', contentType: 'application/sdp' };
const empty = { transactions: 0, dialogs: 0, timers: 0 };

/** One call through a back-to-back user agent: the leg of the caller and the leg of the callee. */
class LegPair {
  readonly alive = { caller: true, callee: true };
  readonly ends: string[] = [];
  readonly #caller: IncomingInvite;
  readonly #callee: Call;

  constructor(caller: IncomingInvite, dial: (listener: CallListener) => Call) {
    this.#caller = caller;
    caller.listen({
      // A change on one side is answered there: we relay the media between both.
      offered: () => caller.answerOffer(sdp),
      ended: () => this.#ended('caller', () => this.#callee.hangUp()),
    });
    this.#callee = dial({
      ringing: (response) => caller.ring(response.status, response.body === '' ? {} : { content: sdp }),
      answered: () => caller.accept(sdp),
      offered: () => this.#callee.answerOffer(sdp),
      ended: (reason) =>
        this.#ended('callee', () => {
          caller.reject(reason.by === 'rejected' ? reason.status : 480);
          caller.hangUp();
        }),
    });
    // The caller may have ended before the callee leg exists.
    if (!this.alive.caller) this.#callee.hangUp();
  }

  get isOver(): boolean {
    return !this.alive.caller && !this.alive.callee;
  }

  change(side: 'caller' | 'callee', method: 'INVITE' | 'UPDATE'): void {
    (side === 'caller' ? this.#caller : this.#callee).offer(sdp, method);
  }

  hangUp(): void {
    this.#caller.hangUp();
    this.#callee.hangUp();
  }

  #ended(side: 'caller' | 'callee', endOther: () => void): void {
    this.ends.push(side);
    this.alive[side] = false;
    // Undefined while the constructor runs, when the caller ends at once.
    if (side === 'callee' || this.#callee !== undefined) endOther();
  }
}

const action = fc.record({
  what: fc.constantFrom(
    'rings',
    'rings early',
    'answers',
    'answers',
    'refuses',
    'caller hangs up',
    'callee hangs up',
    'pair hangs up',
    'caller offers',
    'callee offers',
    'caller updates',
    'callee updates',
    'pair offers to caller',
    'pair offers to callee',
    'pair updates caller',
    'pair updates callee',
  ),
  wait: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 5_000 })),
});

const link = fc.record({
  loss: fc.constantFrom(0, 0.1, 0.4),
  duplicates: fc.constantFrom(0, 0.3),
  jitterMs: fc.constantFrom(0, 30, 900),
  seed: fc.nat(1_000_000),
});

test('A pair of legs is over when both have ended, each exactly once, in any order of actions and crossing messages', () => {
  fc.assert(
    fc.property(link, link, fc.array(action, { maxLength: 20 }), (one, other, actions) => {
      const clock = createVirtualClock();
      const sessionInterval = { requestedS: 90, leastS: 90 };
      // Alice calls the pair on the first link; the pair calls Carol at the far end of the second.
      const near = createMemoryLink({ ...one, clock }, { sessionInterval });
      const far = createMemoryLink({ ...other, clock }, { sessionInterval });
      const to = { targets: [{ uri: 'sip:bob@10.0.0.2' }], from: '<sip:a@x>', to: '<sip:b@x>', content: sdp };
      const [alice, carol] = [recordingListener(), recordingListener()];
      let pair: LegPair | undefined;
      near.bob.onInvite = (invite) => {
        pair = new LegPair(invite, (listener) => far.alice.ua.invite(to, listener));
      };
      let callee: IncomingInvite | undefined;
      far.bob.onInvite = (invite) => {
        callee = invite;
        invite.listen({ ...carol, offered: () => invite.answerOffer(sdp) });
      };
      const caller: Call = near.alice.ua.invite(to, {
        ...alice,
        offered: () => caller.answerOffer(sdp),
      });
      const play: Record<string, () => void> = {
        rings: () => callee?.ring(),
        'rings early': () => callee?.ring(183, { content: sdp }),
        answers: () => callee?.accept(sdp),
        refuses: () => callee?.reject(486),
        'caller hangs up': () => caller.hangUp(),
        'callee hangs up': () => callee?.hangUp(),
        'pair hangs up': () => pair?.hangUp(),
        'caller offers': () => caller.offer(sdp),
        'callee offers': () => callee?.offer(sdp),
        'caller updates': () => caller.offer(sdp, 'UPDATE'),
        'callee updates': () => callee?.offer(sdp, 'UPDATE'),
        'pair offers to caller': () => pair?.change('caller', 'INVITE'),
        'pair offers to callee': () => pair?.change('callee', 'INVITE'),
        'pair updates caller': () => pair?.change('caller', 'UPDATE'),
        'pair updates callee': () => pair?.change('callee', 'UPDATE'),
      };
      for (const { what, wait } of actions) {
        clock.advance(wait);
        play[what]!();
        if (pair?.ends.length === 2) assert.ok(pair.isOver);
      }
      // One side hangs up; if its messages are lost, the session timer and the ringing limit end the call.
      caller.hangUp();
      clock.advance(800_000);
      if (pair) {
        assert.ok(pair.isOver, `alive: ${JSON.stringify(pair.alive)}`);
        assert.deepEqual([...pair.ends].sort(), ['callee', 'caller']);
      }
      for (const log of [alice.log, carol.log]) {
        assert.ok(log.filter((line) => line.startsWith('ended')).length <= 1, log.join(', '));
      }
      assert.equal(alice.log.at(-1)?.split(' ')[0], 'ended');
      for (const end of [near.alice, near.bob, far.alice, far.bob]) {
        assert.deepEqual(end.ua.census(), empty);
        assert.equal(end.ua.counters.listenerErrors, 0);
      }
      assert.equal(clock.pending(), 0);
    }),
    { numRuns: 200 },
  );
});
