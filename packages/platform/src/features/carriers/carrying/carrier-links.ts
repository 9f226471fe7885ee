import { type CarrierRequests, type Clock, sipUriAt } from '@jackfield/ports';
import type { SingletonRoles } from '../../../kernel/singleton-roles.ts';
import type { Carrier } from '../domain/carrier.ts';
import {
  type CarrierEvent,
  type CarrierLink,
  type CarrierLinkEffect,
  type CarrierLinkInput,
  type CarrierTimer,
  carrierLinkMachine,
  newCarrierLink,
} from '../domain/carrier-link.ts';

export interface CarrierLinksDeps {
  readonly clock: Clock;
  readonly carriers: readonly Carrier[];
  readonly requests: CarrierRequests;
  readonly chance: () => number;
  readonly roles: Pick<SingletonRoles, 'take'>;
  readonly happened: (carrier: string, event: CarrierEvent) => void;
}

/** Registrations and probes, one machine for each carrier. */
export interface CarrierLinks {
  of(carrier: string): CarrierLink | undefined;
  /** A carrier has refused a call, and other calls for so long. */
  refused(carrier: string, retryAfterSeconds: number): void;
  /** Begins to probe, and to register where this process has the role. */
  open(): void;
  /** Removes registrations; resolves when the carriers have answered, or after `closingMs`. */
  close(): Promise<void>;
}

/** A silent carrier holds up no shutdown for longer. */
const closingMs = 1000;

export function createCarrierLinks(deps: CarrierLinksDeps): CarrierLinks {
  const links = new Map(deps.carriers.map((carrier) => [carrier.name, new LinkRunner(deps, carrier)]));
  let isClosing = false;

  function takeRole(carrier: string): void {
    deps.roles.take(`registration with carrier ${carrier}`, {
      begin: () => links.get(carrier)?.step({ type: 'registration-taken' }),
      end: () => links.get(carrier)?.end({ type: 'registration-left' }),
    });
  }

  return {
    of: (carrier) => links.get(carrier)?.state,
    refused: (carrier, retryAfterSeconds) =>
      links.get(carrier)?.step({ type: 'call-refused', retryAfterSeconds }),
    open() {
      for (const each of links.values()) each.step({ type: 'opened' });
      for (const { name, registration } of deps.carriers) if (registration !== undefined) takeRole(name);
    },
    async close() {
      if (isClosing) return;
      isClosing = true;
      await Promise.all([...links.values()].map((each) => each.end({ type: 'closed' })));
    },
  };
}

/** Steps the machine of one carrier and carries its effects out. */
class LinkRunner {
  readonly #deps: CarrierLinksDeps;
  readonly #carrier: Carrier;
  readonly #timers = new Map<CarrierTimer, () => void>();
  #state: CarrierLink;
  /** Resolves the end of the last registration. */
  #left: (() => void) | undefined;

  constructor(deps: CarrierLinksDeps, carrier: Carrier) {
    this.#deps = deps;
    this.#carrier = carrier;
    this.#state = newCarrierLink(carrier.registration?.expiresSeconds, carrier.probeSeconds);
  }

  get state(): CarrierLink {
    return this.#state;
  }

  step(input: CarrierLinkInput): void {
    const { state, effects } = carrierLinkMachine.step(this.#state, input, this.#deps.clock.now());
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  /** Resolves when the last registration has been removed. */
  end(input: Extract<CarrierLinkInput, { readonly type: 'registration-left' | 'closed' }>): Promise<void> {
    const { clock } = this.#deps;
    const wasRegistered = this.#state.registration === 'registered';
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#left = resolve;
    this.step(input);
    if (!wasRegistered) return Promise.resolve();
    const cancel = clock.startTimer(clock.now() + closingMs, resolve);
    return promise.finally(cancel);
  }

  #perform(effect: CarrierLinkEffect): void {
    const { requests, happened } = this.#deps;
    switch (effect.do) {
      case 'register':
        this.#register(effect.expiresSeconds);
        return;
      case 'probe':
        requests.probe(sipUriAt(this.#carrier), (status) => this.step({ type: 'probe-settled', status }));
        return;
      case 'start-timer':
        this.#startTimer(effect);
        return;
      case 'cancel-timer':
        this.#timers.get(effect.key)?.();
        this.#timers.delete(effect.key);
        return;
      case 'report':
        happened(this.#carrier.name, effect.event);
    }
  }

  #register(expiresSeconds: number): void {
    const { requests, chance } = this.#deps;
    const { name, registration } = this.#carrier;
    const registrar = sipUriAt(this.#carrier);
    const aor = registration?.aor ?? registrar;
    requests.register({ carrier: name, registrar, aor, expiresSeconds }, (outcome) => {
      this.#left?.();
      this.step({ type: 'register-settled', outcome, chance: chance() });
    });
  }

  #startTimer({ key, at }: Extract<CarrierLinkEffect, { readonly do: 'start-timer' }>): void {
    this.#timers.get(key)?.();
    const cancel = this.#deps.clock.startTimer(at, () => {
      this.#timers.delete(key);
      this.step({ type: 'timer-fired', key });
    });
    this.#timers.set(key, cancel);
  }
}
