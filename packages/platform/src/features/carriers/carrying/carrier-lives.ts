import type { CarrierRequests, Clock } from '@jackfield/ports';
import type { Carrier } from '../domain/carrier.ts';
import { uriAt } from '../domain/carrier.ts';
import {
  type CarrierEvent,
  type CarrierLife,
  type CarrierLifeEffect,
  type CarrierLifeInput,
  type CarrierTimer,
  carrierLifeMachine,
  newCarrierLife,
} from '../domain/carrier-life.ts';

export interface CarrierLivesDeps {
  readonly clock: Clock;
  readonly carriers: readonly Carrier[];
  readonly requests: CarrierRequests;
  readonly chance: () => number;
  readonly happened: (carrier: string, event: CarrierEvent) => void;
}

/** Registrations and probes, one machine for each carrier. */
export interface CarrierLives {
  of(carrier: string): CarrierLife | undefined;
  /** Begins to register and to probe. */
  open(): void;
  /** Takes registrations away; resolves when the carriers have answered, or in `closingMs`. */
  close(): Promise<void>;
}

/** A carrier that is silent holds no shutdown up for longer. */
const closingMs = 1000;

export function createCarrierLives(deps: CarrierLivesDeps): CarrierLives {
  const { clock, requests } = deps;
  const lives = new Map<string, ReturnType<typeof live>>();
  let isClosing = false;

  function live(carrier: Carrier) {
    const timers = new Map<CarrierTimer, () => void>();
    let state: CarrierLife = newCarrierLife(carrier.registration?.expiresSeconds, carrier.probeSeconds);
    let leaving: (() => void) | undefined;

    function feed(input: CarrierLifeInput): void {
      const step = carrierLifeMachine.step(state, input, clock.now());
      state = step.state;
      for (const effect of step.effects) perform(effect);
    }

    function perform(effect: CarrierLifeEffect) {
      switch (effect.do) {
        case 'register':
          return requests.register(
            {
              carrier: carrier.name,
              registrar: uriAt(carrier),
              aor: carrier.registration?.aor ?? uriAt(carrier),
              expiresSeconds: effect.expiresSeconds,
            },
            (outcome) => {
              leaving?.();
              feed({ type: 'register-settled', outcome, chance: deps.chance() });
            },
          );
        case 'probe':
          return requests.probe(uriAt(carrier), (status) => feed({ type: 'probe-settled', status }));
        case 'start-timer': {
          const { key } = effect;
          timers.get(key)?.();
          timers.set(
            key,
            clock.startTimer(effect.at, () => {
              timers.delete(key);
              feed({ type: 'timer-fired', key });
            }),
          );
          return;
        }
        case 'cancel-timer':
          timers.get(effect.key)?.();
          timers.delete(effect.key);
          return;
        case 'tell':
          return deps.happened(carrier.name, effect.event);
      }
    }

    return {
      state: () => state,
      feed,
      close(): Promise<void> {
        const wasRegistered = state.registration === 'registered';
        const { promise, resolve } = Promise.withResolvers<void>();
        leaving = resolve;
        feed({ type: 'closed' });
        if (!wasRegistered) return Promise.resolve();
        const cancel = clock.startTimer(clock.now() + closingMs, resolve);
        return promise.finally(cancel);
      },
    };
  }

  for (const carrier of deps.carriers) lives.set(carrier.name, live(carrier));

  return {
    of: (carrier) => lives.get(carrier)?.state(),
    open() {
      for (const each of lives.values()) each.feed({ type: 'opened' });
    },
    async close() {
      if (isClosing) return;
      isClosing = true;
      await Promise.all([...lives.values()].map((each) => each.close()));
    },
  };
}
