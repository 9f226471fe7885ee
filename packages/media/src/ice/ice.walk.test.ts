import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { consentMs, createIce, type IceInput, isSameSource, stepIce } from './ice-machine.ts';

const source = fc.record({
  transport: fc.constantFrom('udp' as const, 'tcp' as const),
  address: fc.constantFrom('192.0.2.1', '2001:db8::1'),
  port: fc.integer({ min: 4000, max: 4005 }),
});
const input: fc.Arbitrary<IceInput | { readonly type: 'wait'; readonly ms: number }> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('check-received' as const),
      source,
      transaction: fc.constant('aa'),
      fragment: fc.constantFrom('f0', 'f1', 'f2', 'f3'),
      nominates: fc.boolean(),
      role: fc.constantFrom('controlling' as const, 'controlling' as const, 'controlled' as const, undefined),
      unknown: fc.constantFrom([], [], [], [7]),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('restarted' as const),
      fragment: fc.constantFrom('f1', 'f2', 'f3'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('connection-lost' as const), source }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.nat(20_000) }) },
);

test('in any order of checks, restarts, lost connections and waits, packets go to a checked path only, and to none 30 s after the last check', () => {
  fc.assert(
    fc.property(fc.array(input, { maxLength: 60 }), (inputs) => {
      let state = createIce('f0');
      let now = 0;
      let timers: number[] = [];
      const admitted = new Map<string, number>();
      let target: string | undefined;
      const name = ({ transport, address, port }: { transport: string; address: string; port: number }) =>
        `${transport} ${address} ${port}`;
      const step = (each: IceInput): void => {
        const next = stepIce(state, each, now);
        state = next.state;
        for (const effect of next.effects) {
          if (effect.do === 'admit') assert.equal(admitted.has(name(effect.source)), false, 'admitted twice');
          if (effect.do === 'answer' && effect.code === 200) admitted.set(name(effect.source), now);
          if (effect.do === 'forget')
            assert.equal(admitted.delete(name(effect.source)), true, 'forgotten twice');
          if (effect.do === 'send-to') target = effect.target && name(effect.target);
          if (effect.do === 'start-timer') timers.push(effect.dueMs);
        }
        assert.deepEqual([...admitted.keys()].sort(), state.sources.map(name).sort());
        assert.equal(target, state.target && name(state.target));
        assert.ok(
          target === undefined ? admitted.size === 0 : admitted.has(target),
          'the target is a checked path',
        );
        assert.ok(state.sources.length <= 8 && state.fragments.length <= 2);
        assert.ok(
          state.sources.every((one, i) => state.sources.findIndex((two) => isSameSource(one, two)) === i),
        );
      };
      for (const each of inputs) {
        if (each.type !== 'wait') {
          step(each);
          continue;
        }
        const until = now + each.ms;
        for (;;) {
          const due = Math.min(...timers);
          if (due > until) break;
          now = due;
          timers = timers.filter((at) => at > due);
          step({ type: 'timer-fired' });
        }
        now = until;
        for (const at of admitted.values()) assert.ok(now - at < consentMs, 'a path outlived its consent');
      }
    }),
    { numRuns: 400 },
  );
});
