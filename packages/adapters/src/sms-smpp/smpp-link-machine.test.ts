import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openedLink, type SmppLinkInput, type SmppLinkState, stepSmppLink } from './smpp-link-machine.ts';

const times = { enquireLinkMs: 30_000, responseMs: 10_000, reconnectMs: [500, 1_500] } as const;
const lostIn = (pauseMs: number) => [
  'cancel-timer',
  'disconnect',
  'report-lost',
  `start-timer ${1_000 + pauseMs}`,
];

type Phase = SmppLinkState['phase'];
const phases: readonly Phase[] = ['connecting', 'binding', 'bound', 'pausing', 'closed'];
const inputs: readonly SmppLinkInput[] = [
  { type: 'connected' },
  { type: 'bind-answered', status: 0 },
  { type: 'bind-answered', status: 13 },
  { type: 'enquiry-answered' },
  { type: 'lost' },
  { type: 'timer-fired' },
  { type: 'close' },
];

/** Next phase and effects, at 1,000 ms with a pause of 500 ms; every input that is not listed changes nothing. */
const table: Readonly<Partial<Record<string, readonly [Phase, readonly string[]]>>> = {
  'connecting connected': ['binding', ['cancel-timer', 'bind']],
  'connecting timer-fired': ['pausing', lostIn(500)],
  'connecting lost': ['pausing', lostIn(500)],
  'connecting close': ['closed', ['cancel-timer', 'disconnect', 'report-lost']],
  'binding bind-answered 0': ['bound', ['start-timer 31000', 'report-bound']],
  'binding bind-answered 13': ['pausing', ['report-refusal', ...lostIn(500)]],
  'binding lost': ['pausing', lostIn(500)],
  'binding close': ['closed', ['cancel-timer', 'disconnect', 'report-lost']],
  'bound timer-fired': ['bound', ['enquire']],
  'bound enquiry-answered': ['bound', ['start-timer 31000']],
  'bound lost': ['pausing', lostIn(500)],
  'bound close': ['closed', ['cancel-timer', 'unbind', 'disconnect', 'report-lost']],
  'pausing timer-fired': ['connecting', ['connect', 'start-timer 11000']],
  'pausing close': ['closed', ['cancel-timer']],
};

const shown = (effects: ReturnType<typeof stepSmppLink>['effects']) =>
  effects.map((effect) => (effect.do === 'start-timer' ? `${effect.do} ${effect.at}` : effect.do));

describe('A link to an SMSC', () => {
  it('connects at once, and waits for the time of a response', () => {
    const { state, effects } = openedLink(times, 1_000);
    assert.deepEqual(state, { phase: 'connecting', pauseMs: 500 });
    assert.deepEqual(shown(effects), ['connect', 'start-timer 11000']);
  });

  for (const phase of phases) {
    for (const input of inputs) {
      const name = [phase, ...Object.values(input)].join(' ');
      const [next, effects] = table[name] ?? [phase, []];
      it(`${name}: ${next}, ${effects.join(', ') || 'no effect'}`, () => {
        const step = stepSmppLink({ phase, pauseMs: 500 }, input, times, 1_000);
        assert.deepEqual([step.state.phase, shown(step.effects)], [next, effects]);
      });
    }
  }

  it('doubles its pause with each loss up to the limit, and resets it once it was bound', () => {
    const pauses: number[] = [];
    let state: SmppLinkState = { phase: 'connecting', pauseMs: 500 };
    const feed = (input: SmppLinkInput) => {
      const step = stepSmppLink(state, input, times, 0);
      state = step.state;
      for (const effect of step.effects)
        if (effect.do === 'start-timer' && state.phase === 'pausing') pauses.push(effect.at);
    };
    for (let loss = 0; loss < 4; loss += 1) {
      feed({ type: 'lost' });
      feed({ type: 'timer-fired' });
    }
    feed({ type: 'connected' });
    feed({ type: 'bind-answered', status: 0 });
    feed({ type: 'lost' });
    assert.deepEqual(pauses, [500, 1_000, 1_500, 1_500, 500]);
  });
});
