import assert from 'node:assert/strict';
import type { ClientEffect, Step } from '../effects.ts';
import type { InviteServerEffect } from '../invite-server.ts';

type AnyEffect = ClientEffect | InviteServerEffect;

/** Runs a machine on its own timers and writes down what it does, `word@ms`, until it terminates or `until` is reached. */
export function play<State, Input>(
  first: Step<State, AnyEffect>,
  step: (state: State, input: Input, now: number) => Step<State, AnyEffect>,
  inputs: readonly (readonly [atMs: number, input: Input])[],
  until = 100_000,
): string[] {
  const done: string[] = [];
  const timers = new Map<string, number>();
  const waiting = [...inputs];
  let { state } = first;
  let isOver = false;
  const perform = (effects: readonly AnyEffect[], now: number): void => {
    for (const effect of effects) {
      assert.ok(!isOver, 'nothing follows the end');
      if (effect.do === 'send') done.push(`${effect.text.slice(0, effect.text.search(/ sip:|\r|$/))}@${now}`);
      else if (effect.do === 'start-timer') timers.set(effect.key, effect.at);
      else if (effect.do === 'cancel-timer') timers.delete(effect.key);
      else if (effect.do === 'deliver') done.push(`deliver ${effect.response.status}@${now}`);
      else if (effect.do === 'report') done.push(`${effect.failure}@${now}`);
      else if (effect.do === 'terminate') {
        isOver = true;
        done.push(`over@${now}`);
      } else done.push(`${effect.do}@${now}`);
    }
  };
  perform(first.effects, 0);
  while (!isOver) {
    const [key, due = Number.POSITIVE_INFINITY] = [...timers].sort(([, a], [, b]) => a - b)[0] ?? [];
    const next = waiting[0]?.[0] ?? Number.POSITIVE_INFINITY;
    const now = Math.min(due, next);
    if (now > until) break;
    let input: Input;
    if (next <= due) input = waiting.shift()![1];
    else {
      timers.delete(key!);
      input = { type: 'timer-fired', key } as Input;
    }
    const done = step(state, input, now);
    state = done.state;
    perform(done.effects, now);
  }
  return done;
}
