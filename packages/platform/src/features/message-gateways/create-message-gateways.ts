import type { OperatedGateway } from '@jackfield/contract/console';
import type { Metrics, Migration, Sms } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { OpenRoute, RouteGroup } from '../../http/index.ts';
import { problem } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import { messageSpendTable } from './migrations/0001-message-spend.ts';
import { type CappedSendsDeps, createCappedSends } from './sending/capped-sends.ts';
import { Failover, type FailoverDeps } from './sending/failover.ts';
import type { LinkedGateway } from './sending/linked-gateway.ts';
import {
  createSessionHolders,
  type SessionHolders,
  type SessionHoldersDeps,
} from './sending/session-holders.ts';

export interface MessageGatewaysDeps extends FailoverDeps, CappedSendsDeps, SessionHoldersDeps {
  readonly metrics: Metrics;
}

export interface MessageGatewaysFeature extends Feature {
  readonly sms: Sms;
  readonly migrations: readonly Migration[];
  readonly routes: readonly RouteGroup[];
  /** For the operator, in the order of the configuration. */
  states(): readonly OperatedGateway[];
}

/** The operator's gateways behind the port `Sms`: routes by prefix, failover, pace, a cap on the spend, and sessions that one node has. */
export function createMessageGateways(deps: MessageGatewaysDeps): MessageGatewaysFeature {
  const { gateways, metrics } = deps;
  const sessions = createSessionHolders(deps, createCappedSends(deps));
  metrics.gauge('jackfield_message_gateway_bound', '1 while a gateway for messages lets this node in.', {
    label: 'gateway',
    values: () =>
      gateways.flatMap(({ gateway, session }) =>
        session === undefined ? [] : [[gateway.name, Number(session.isBound)] as const],
      ),
  });

  return {
    name: 'message-gateways',
    migrations: [messageSpendTable],
    routes: [{ name: 'Message gateways', routes: [], open: [receiptRoute(gateways)] }],
    states: () => gateways.map((each) => stateOf(each, sessions)),
    sms: new Failover(deps, sessions.sendThrough),
    open: () => sessions.open(),
    close: () => sessions.close(),
  };
}

function stateOf({ gateway: { name }, session }: LinkedGateway, { holds }: SessionHolders): OperatedGateway {
  if (session === undefined) return { name, kind: 'http', state: 'unknown', problem: null };
  if (session.isBound) return { name, kind: 'smpp', state: 'connected', problem: null };
  if (!holds(name)) return { name, kind: 'smpp', state: 'elsewhere', problem: null };
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
