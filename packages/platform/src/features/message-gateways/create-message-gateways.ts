import type { OperatedGateway } from '@jackfield/contract/console';
import {
  type Clock,
  type Database,
  type Logger,
  type Metrics,
  type Migration,
  prefixRoutes,
  routesFor,
  type Secrets,
  type Sms,
  type SmsOrder,
  type SmsOutcome,
} from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { OpenRoute, RouteGroup } from '../../http/index.ts';
import { randomChance } from '../../kernel/chance.ts';
import { problem } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import type { MessageGateway } from './domain/gateway.ts';
import { mostParts } from './domain/message-parts.ts';
import { nextTurn, type Pace, unpaced } from './domain/pace.ts';
import { messageSpendTable } from './migrations/0001-message-spend.ts';
import { createSpendStore } from './store.ts';

/** A gateway with the link to it. */
export interface LinkedGateway {
  readonly gateway: MessageGateway;
  readonly link: Sms;
  /** Reads a receipt that the gateway sent to the webhook; absent for a gateway that sends receipts over its own connection. */
  readonly takeReceipt?: (request: ReceiptRequest) => 204 | 400 | 403;
  /** Whether the session with the gateway is bound; absent for a gateway without a lasting connection. */
  readonly isBound?: () => boolean;
}

interface ReceiptRequest {
  readonly query: Readonly<Record<string, string>>;
  readonly body: string;
  readonly contentType: string;
}

export interface MessageGatewaysDeps {
  readonly gateways: readonly LinkedGateway[];
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly secrets: Pick<Secrets, 'randomBytes'>;
  /** The longest wait of a message for its turn at a gateway, before the next gateway. */
  readonly maxWaitMs?: number;
}

export interface MessageGatewaysFeature extends Feature {
  readonly sms: Sms;
  readonly migrations: readonly Migration[];
  readonly routes: readonly RouteGroup[];
  /** For the operator, in the order of the configuration. */
  states(): readonly OperatedGateway[];
}

/** The operator's gateways behind the port `Sms`: routes by prefix, failover, pace and a cap on the spend. */
export function createMessageGateways(deps: MessageGatewaysDeps): MessageGatewaysFeature {
  const { clock, log, metrics, maxWaitMs = 5_000 } = deps;
  const links = new Map(deps.gateways.map(({ gateway, link }) => [gateway.name, link]));
  const table = prefixRoutes(deps.gateways.map(({ gateway }) => gateway));
  const store = createSpendStore(deps.database);
  const paces = new Map<string, Pace>();

  metrics.gauge('jackfield_message_gateway_bound', '1 while a gateway for messages lets us in.', {
    label: 'gateway',
    values: () =>
      deps.gateways.flatMap(({ gateway, isBound }) =>
        isBound === undefined ? [] : [[gateway.name, Number(isBound())] as const],
      ),
  });

  /** The outcome of the order at one gateway. */
  async function sendThrough(
    { name, caps }: MessageGateway,
    price: number | undefined,
    order: SmsOrder,
  ): Promise<SmsOutcome> {
    if (!(await turnOf(name, caps.messagesPerSecond, order))) return passed('too-fast');
    const reservedAt = clock.now();
    const units = caps.spendPerHour === undefined ? 0 : (price ?? 0) * mostParts(order.text);
    try {
      if (
        caps.spendPerHour !== undefined &&
        !(await store.reserve(name, units, caps.spendPerHour, reservedAt))
      ) {
        return passed('spend-cap');
      }
    } catch (err) {
      log.error({ err, gateway: name }, 'cost of a message could not be counted; the gateway is skipped');
      return passed('cost-not-counted');
    }
    const outcome = await links.get(name)!.send(order);
    if (!outcome.accepted && units > 0 && outcome.mayHaveGone !== true) {
      store.giveBack(name, units, reservedAt).catch((err: unknown) => {
        log.error({ err, gateway: name }, 'cost of a refused message could not be returned');
      });
    }
    return outcome;
  }

  /** Waits for the order's turn; false when it would be too late. */
  async function turnOf(name: string, perSecond: number | undefined, order: SmsOrder): Promise<boolean> {
    if (perSecond === undefined) return true;
    const now = clock.now();
    const latest = Math.min(now + maxWaitMs, order.validUntil);
    const turn = nextTurn(paces.get(name) ?? unpaced, perSecond, now, latest);
    if (turn === undefined) return false;
    paces.set(name, turn.pace);
    if (turn.at > now) await new Promise<void>((resolve) => void clock.startTimer(turn.at, resolve));
    return true;
  }

  return {
    name: 'message-gateways',
    migrations: [messageSpendTable],
    routes: [{ name: 'Message gateways', routes: [], open: [receiptRoute(deps.gateways)] }],
    states: () => deps.gateways.map(stateOf),
    sms: {
      async send(order) {
        let last: SmsOutcome = { accepted: false, errorCode: 'no-route' };
        for (const { taker, prefix } of routesFor(table, order.to, () => randomChance(deps.secrets))) {
          if (clock.now() >= order.validUntil) return last;
          last = await sendThrough(taker, prefix.price, order);
          const outcome = last.accepted ? 'accepted' : last.gatewayFailed ? 'passed-on' : 'refused';
          metrics.count('jackfield_messages_total', { gateway: taker.name, outcome });
          if (last.accepted || last.gatewayFailed !== true) return last;
          log.warn(
            { gateway: taker.name, order: order.id, errorCode: last.errorCode },
            'gateway failed to send a message; the next gateway is tried',
          );
        }
        return last;
      },
      listen(listener) {
        for (const link of links.values()) link.listen(listener);
      },
    },
  };
}

function stateOf({ gateway: { name }, isBound }: LinkedGateway): OperatedGateway {
  if (isBound === undefined) return { name, kind: 'http', state: 'unknown', problem: null };
  if (isBound()) return { name, kind: 'smpp', state: 'connected', problem: null };
  return {
    name,
    kind: 'smpp',
    state: 'disconnected',
    problem: 'The gateway does not let us in; the log says why.',
  };
}

const foreignReceipt = problem(
  'forbidden',
  'the receipt is refused: the gateway in the path must be configured with receipts, and the receipt must carry its secret',
);
const unreadableReceipt = problem(
  'malformed-body',
  'the receipt must be a form or a JSON object, with the fields for message and status that its gateway is configured with',
);

/** The same answer for a gateway without a webhook and for an unknown gateway. */
function receiptRoute(gateways: readonly LinkedGateway[]): OpenRoute {
  const byName = new Map(gateways.map((each) => [each.gateway.name, each.takeReceipt]));
  return {
    methods: ['GET', 'POST'],
    path: '/message-gateways/:name/receipts',
    knowsSenders: true,
    run({ params, ...request }) {
      const status = byName.get(params.name ?? '')?.(request) ?? 403;
      if (status === 204) return accepted(undefined);
      return refused(status === 403 ? foreignReceipt : unreadableReceipt);
    },
  };
}

function passed(errorCode: string): SmsOutcome {
  return { accepted: false, errorCode, gatewayFailed: true };
}
