import type { Clock, Database, Logger, Sms, SmsOrder, SmsOutcome } from '@jackfield/ports';
import type { MessageGateway } from '../domain/gateway.ts';
import { mostParts } from '../domain/message-parts.ts';
import { nextTurn, type Pace, unpaced } from '../domain/pace.ts';
import { createSpendStore } from '../store.ts';
import type { LinkedGateway } from './linked-gateway.ts';

export interface CappedSendsDeps {
  readonly gateways: readonly LinkedGateway[];
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** The longest wait of a message for its turn at a gateway, before the next gateway. */
  readonly maxWaitMs?: number;
}

/** Sends an order through one gateway, whose price of a message part is `price`; never rejects. */
export type SendThrough = (
  gateway: MessageGateway,
  price: number | undefined,
  order: SmsOrder,
) => Promise<SmsOutcome>;

/** Sends through the links of this process, within the pace and the spend of each gateway. */
export function createCappedSends({
  gateways,
  database,
  clock,
  log,
  maxWaitMs = 5_000,
}: CappedSendsDeps): SendThrough {
  const links: ReadonlyMap<string, Sms> = new Map(gateways.map(({ gateway, link }) => [gateway.name, link]));
  const store = createSpendStore(database);
  const paces = new Map<string, Pace>();

  /** Waits for the order's turn; false when it would be too late. */
  async function turnOf({ name, caps }: MessageGateway, order: SmsOrder): Promise<boolean> {
    const { messagesPerSecond: perSecond } = caps;
    if (perSecond === undefined) return true;
    const now = clock.now();
    const latest = Math.min(now + maxWaitMs, order.validUntil, order.settleBy ?? order.validUntil);
    const turn = nextTurn(paces.get(name) ?? unpaced, perSecond, now, latest);
    if (turn === undefined) return false;
    paces.set(name, turn.pace);
    if (turn.at > now) await new Promise<void>((resolve) => void clock.startTimer(turn.at, resolve));
    return true;
  }

  return async (gateway, price, order) => {
    const { name, caps } = gateway;
    if (!(await turnOf(gateway, order))) return passedOn('too-fast');
    const reservedAt = clock.now();
    const units = caps.spendPerHour === undefined ? 0 : (price ?? 0) * mostParts(order.text);
    try {
      if (
        caps.spendPerHour !== undefined &&
        !(await store.reserve(name, units, caps.spendPerHour, reservedAt))
      ) {
        return passedOn('spend-cap');
      }
    } catch (err) {
      log.error({ err, gateway: name }, 'cost of a message could not be counted; the gateway is skipped');
      return passedOn('cost-not-counted');
    }
    const outcome = await links
      .get(name)!
      .send(order)
      .catch((err: unknown): SmsOutcome => {
        // The message of the error may contain the text.
        const what = err instanceof Error ? err.name : typeof err;
        log.error({ gateway: name, order: order.id, err: what }, 'gateway threw; the next gateway is tried');
        return { accepted: false, errorCode: 'gateway-failed', gatewayFailed: true, mayHaveGone: true };
      });
    if (!outcome.accepted && units > 0 && outcome.mayHaveGone !== true) {
      store.giveBack(name, units, reservedAt).catch((err: unknown) => {
        log.error({ err, gateway: name }, 'cost of a refused message could not be returned');
      });
    }
    return outcome;
  };
}

/** The next gateway is tried. */
export function passedOn(errorCode: string): SmsOutcome {
  return { accepted: false, errorCode, gatewayFailed: true };
}
