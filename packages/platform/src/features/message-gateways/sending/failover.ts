import {
  type Clock,
  type Database,
  type Logger,
  type Metrics,
  type PrefixRoutes,
  prefixRoutes,
  routesFor,
  type Secrets,
  type Sms,
  type SmsOrder,
  type SmsOutcome,
} from '@jackfield/ports';
import { randomChance } from '../../../kernel/chance.ts';
import type { MessageGateway } from '../domain/gateway.ts';
import { mostParts } from '../domain/message-parts.ts';
import { nextTurn, type Pace, unpaced } from '../domain/pace.ts';
import { createSpendStore, type SpendStore } from '../store.ts';
import type { LinkedGateway } from './linked-gateway.ts';

export interface FailoverDeps {
  readonly gateways: readonly LinkedGateway[];
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'count'>;
  readonly secrets: Pick<Secrets, 'randomBytes'>;
  /** The longest wait of a message for its turn at a gateway, before the next gateway. */
  readonly maxWaitMs?: number;
}

/** Tries the gateways of a recipient one after another, within the pace and the spend of each. */
export class Failover implements Sms {
  readonly #deps: FailoverDeps;
  readonly #links: ReadonlyMap<string, Sms>;
  readonly #table: PrefixRoutes<MessageGateway>;
  readonly #store: SpendStore;
  readonly #paces = new Map<string, Pace>();

  constructor(deps: FailoverDeps) {
    this.#deps = deps;
    this.#links = new Map(deps.gateways.map(({ gateway, link }) => [gateway.name, link]));
    this.#table = prefixRoutes(deps.gateways.map(({ gateway }) => gateway));
    this.#store = createSpendStore(deps.database);
  }

  listen(listener: Parameters<Sms['listen']>[0]): void {
    for (const link of this.#links.values()) link.listen(listener);
  }

  async send(order: SmsOrder): Promise<SmsOutcome> {
    const { clock, metrics, log, secrets } = this.#deps;
    let last: SmsOutcome = { accepted: false, errorCode: 'no-route' };
    for (const { taker, prefix } of routesFor(this.#table, order.to, () => randomChance(secrets))) {
      if (clock.now() >= order.validUntil) return last;
      last = await this.#sendThrough(taker, prefix.price, order);
      const outcome = last.accepted ? 'accepted' : last.gatewayFailed ? 'passed-on' : 'refused';
      metrics.count('jackfield_messages_total', { gateway: taker.name, outcome });
      if (last.accepted || last.gatewayFailed !== true) return last;
      log.warn(
        { gateway: taker.name, order: order.id, errorCode: last.errorCode },
        'gateway failed to send a message; the next gateway is tried',
      );
    }
    return last;
  }

  /** The outcome of the order at one gateway. */
  async #sendThrough(
    { name, caps }: MessageGateway,
    price: number | undefined,
    order: SmsOrder,
  ): Promise<SmsOutcome> {
    const { clock, log } = this.#deps;
    if (!(await this.#turnOf(name, caps.messagesPerSecond, order))) return passed('too-fast');
    const reservedAt = clock.now();
    const units = caps.spendPerHour === undefined ? 0 : (price ?? 0) * mostParts(order.text);
    try {
      if (
        caps.spendPerHour !== undefined &&
        !(await this.#store.reserve(name, units, caps.spendPerHour, reservedAt))
      ) {
        return passed('spend-cap');
      }
    } catch (err) {
      log.error({ err, gateway: name }, 'cost of a message could not be counted; the gateway is skipped');
      return passed('cost-not-counted');
    }
    const outcome = await this.#links.get(name)!.send(order);
    if (!outcome.accepted && units > 0 && outcome.mayHaveGone !== true) {
      this.#store.giveBack(name, units, reservedAt).catch((err: unknown) => {
        log.error({ err, gateway: name }, 'cost of a refused message could not be returned');
      });
    }
    return outcome;
  }

  /** Waits for the order's turn; false when it would be too late. */
  async #turnOf(name: string, perSecond: number | undefined, order: SmsOrder): Promise<boolean> {
    if (perSecond === undefined) return true;
    const { clock, maxWaitMs = 5_000 } = this.#deps;
    const now = clock.now();
    const latest = Math.min(now + maxWaitMs, order.validUntil);
    const turn = nextTurn(this.#paces.get(name) ?? unpaced, perSecond, now, latest);
    if (turn === undefined) return false;
    this.#paces.set(name, turn.pace);
    if (turn.at > now) await new Promise<void>((resolve) => void clock.startTimer(turn.at, resolve));
    return true;
  }
}

function passed(errorCode: string): SmsOutcome {
  return { accepted: false, errorCode, gatewayFailed: true };
}
