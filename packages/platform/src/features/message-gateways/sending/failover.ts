import {
  type Clock,
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
import type { SendThrough } from './capped-sends.ts';
import type { LinkedGateway } from './linked-gateway.ts';

export interface FailoverDeps {
  readonly gateways: readonly LinkedGateway[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'count'>;
  readonly secrets: Pick<Secrets, 'randomBytes'>;
}

/** Tries the gateways of a recipient one after another. */
export class Failover implements Sms {
  readonly #deps: FailoverDeps;
  readonly #sendThrough: SendThrough;
  readonly #table: PrefixRoutes<MessageGateway>;

  constructor(deps: FailoverDeps, sendThrough: SendThrough) {
    this.#deps = deps;
    this.#sendThrough = sendThrough;
    this.#table = prefixRoutes(deps.gateways.map(({ gateway }) => gateway));
  }

  listen(listener: Parameters<Sms['listen']>[0]): void {
    for (const { link } of this.#deps.gateways) link.listen(listener);
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
}
