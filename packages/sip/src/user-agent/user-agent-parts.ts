import { DEFAULT_SESSION_INTERVAL } from '../dialog/session-timer.ts';
import type { TransactionTimer } from '../transaction/effects.ts';
import { RFC3261_TIMERS } from '../transaction/timers.ts';
import { chanceOf } from './chance.ts';
import { ClientTransactions } from './client-transactions.ts';
import { createCounters } from './counters.ts';
import type { ExtraParts } from './extra-parts.ts';
import { type Leg, type LegDeps, legTimerFired } from './leg.ts';
import { LegTable } from './leg-table.ts';
import type { TransactionDeps } from './transaction-effects.ts';
import type { ClientTransaction, Deferred, ServerTransaction, TimerOwner } from './transactions.ts';
import type { UserAgentCensus, UserAgentDeps } from './user-agent-options.ts';

/** What the receiving and the sending half of a user agent share. */
export interface UserAgentParts extends LegDeps, ExtraParts {
  readonly isClosed: boolean;
  census(): UserAgentCensus;
  /** Drops all state, and stops the clock timer. */
  close(): void;
}

/** Creates the parts of a user agent, with empty tables. */
export function createParts(deps: UserAgentDeps, extra: ExtraParts): UserAgentParts {
  const { clock } = deps;
  const counters = createCounters();
  const legs = new LegTable<Leg>();
  const routes = extra.createRoutes(deps);
  const wheel = extra.createTimers<TimerOwner>({ clock, fire });
  const transactionDeps: TransactionDeps = {
    durations: deps.timers ?? RFC3261_TIMERS,
    counters,
    now: () => clock.now(),
    send(target, text) {
      counters.messagesSent += 1;
      deps.send(target, text);
    },
    startTimer: wheel.start,
    cancelTimer: wheel.cancel,
  };
  const clients = new ClientTransactions(transactionDeps);
  const servers = extra.createServers(transactionDeps);
  let isClosed = false;

  function fire(owner: TimerOwner, key: string): void {
    if (owner.side === 'leg') legTimerFired(owner as Leg, key);
    else if (owner.side === 'deferred') safely((owner as Deferred).call);
    else if (owner.side === 'client') clients.timerFired(owner as ClientTransaction, key as TransactionTimer);
    else servers.timerFired(owner as ServerTransaction, key as TransactionTimer);
  }

  function safely(call: () => void): boolean {
    try {
      call();
      return true;
    } catch (error) {
      counters.listenerErrors += 1;
      deps.on.error?.(error);
      return false;
    }
  }

  return {
    ...transactionDeps,
    ...extra,
    clients,
    servers,
    legs,
    userAgentName: deps.userAgentName,
    ringingLimitMs: deps.limits?.ringingLimitMs ?? 300_000,
    sessionInterval: deps.sessionInterval ?? DEFAULT_SESSION_INTERVAL,
    token: deps.token,
    chance: () => chanceOf(deps.token()),
    routes: {
      one: routes.one,
      all: (flow, uri, found) =>
        routes.all(flow, uri, (all) => {
          if (!isClosed) found(all);
        }),
    },
    address: deps.address,
    isOpen: (flow) => deps.flow(flow) !== undefined,
    safely,
    defer(call) {
      const deferred: Deferred = { side: 'deferred', call };
      wheel.start(deferred, '', clock.now());
    },
    get isClosed() {
      return isClosed;
    },
    census: () => ({
      transactions: clients.size + servers.size,
      dialogs: legs.size,
      timers: wheel.size(),
    }),
    close() {
      isClosed = true;
      wheel.close();
      clients.clear();
      servers.clear();
      legs.clear();
    },
  };
}
