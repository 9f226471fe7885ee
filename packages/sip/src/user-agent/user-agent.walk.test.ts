import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Call, IncomingInvite } from './call-listener.ts';
import { createMemoryLink, recordingListener } from './testing/memory-link.ts';

const content = { body: 'sdp', contentType: 'application/sdp' };
const empty = { transactions: 0, dialogs: 0, timers: 0 };

const action = fc.record({
  what: fc.constantFrom(
    'ring',
    'accept',
    'accept',
    'reject',
    'alice hangs up',
    'bob hangs up',
    'alice offers',
    'bob offers',
    'alice answers',
    'bob answers',
    'alice refuses',
    'bob refuses',
    'alice info',
    'bob info',
  ),
  leg: fc.nat(2),
  wait: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 3_000 })),
});

const link = fc.record({
  loss: fc.constantFrom(0, 0.1, 0.3, 0.6),
  duplicates: fc.constantFrom(0, 0.3),
  jitterMs: fc.constantFrom(0, 30, 900),
  protocol: fc.constantFrom('udp' as const, 'tcp' as const),
  seed: fc.nat(1_000_000),
});

test('Two user agents over a lossy, reordering, duplicating link: every leg ends once and no state is left, for any actions of both sides', () => {
  fc.assert(
    fc.property(
      link,
      fc.integer({ min: 1, max: 3 }),
      fc.array(action, { maxLength: 25 }),
      (options, calls, actions) => {
        // A reliable transport loses and reorders nothing.
        const world = createMemoryLink(
          options.protocol === 'tcp' ? { protocol: 'tcp', seed: options.seed } : options,
        );
        const logs: { log: string[] }[] = [];
        const callees: IncomingInvite[] = [];
        world.bob.onInvite = (invite) => {
          const listener = recordingListener();
          invite.listen(listener);
          logs.push(listener);
          callees.push(invite);
        };
        const callers: Call[] = [];
        for (let index = 0; index < calls; index += 1) {
          const listener = recordingListener();
          logs.push(listener);
          const uri = `sip:bob@10.0.0.2${options.protocol === 'tcp' ? ';transport=tcp' : ''}`;
          const from = '<sip:alice@10.0.0.1>';
          callers.push(
            world.alice.ua.invite({ targets: [{ uri }], from, to: '<sip:bob@10.0.0.2>', content }, listener),
          );
        }
        for (const { what, leg, wait } of actions) {
          world.clock.advance(wait);
          const caller = callers[leg % calls];
          const callee = callees[leg % Math.max(1, callees.length)];
          if (what === 'ring') callee?.ring();
          else if (what === 'accept') callee?.accept(content);
          else if (what === 'reject') callee?.reject(486);
          else {
            const side: Call | undefined = what.startsWith('alice') ? caller : callee;
            if (what.endsWith('hangs up')) side?.hangUp();
            if (what.endsWith('offers')) side?.offer(content);
            if (what.endsWith('answers')) side?.answerOffer(content);
            if (what.endsWith('refuses')) side?.refuseOffer();
            if (what.endsWith('info')) side?.sendInfo(content);
          }
        }
        world.clock.advance(1_000);
        for (const caller of callers) caller.hangUp();
        world.clock.advance(70_000);
        // If every copy of Alice's BYE or CANCEL was lost, Bob ends the leg.
        for (const callee of callees) callee.hangUp();
        world.clock.advance(300_000);
        for (const { log } of logs) {
          assert.equal(log.filter((line) => line.startsWith('ended')).length, 1, log.join(', '));
          assert.match(log.at(-1)!, /^ended/);
        }
        assert.deepEqual(world.alice.ua.census(), empty);
        assert.deepEqual(world.bob.ua.census(), empty);
        assert.equal(world.clock.pending(), 0);
        assert.equal(world.alice.ua.counters.listenerErrors + world.bob.ua.counters.listenerErrors, 0);
      },
    ),
    { numRuns: 150 },
  );
});
