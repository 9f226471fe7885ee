import type { OperatedGateway } from '@jackfield/contract/console';
import type { Metrics, Migration, Sms } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { OpenRoute, RouteGroup } from '../../http/index.ts';
import { problem } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import { messageSpendTable } from './migrations/0001-message-spend.ts';
import { Failover, type FailoverDeps } from './sending/failover.ts';
import type { LinkedGateway } from './sending/linked-gateway.ts';

export interface MessageGatewaysDeps extends FailoverDeps {
  readonly metrics: Metrics;
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
  deps.metrics.gauge('jackfield_message_gateway_bound', '1 while a gateway for messages lets us in.', {
    label: 'gateway',
    values: () =>
      deps.gateways.flatMap(({ gateway, isBound }) =>
        isBound === undefined ? [] : [[gateway.name, Number(isBound())] as const],
      ),
  });

  return {
    name: 'message-gateways',
    migrations: [messageSpendTable],
    routes: [{ name: 'Message gateways', routes: [], open: [receiptRoute(deps.gateways)] }],
    states: () => deps.gateways.map(stateOf),
    sms: new Failover(deps),
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
