import type { OperatedCarrier } from '@jackfield/contract/console';
import type { Carrier } from './domain/carrier.ts';
import type { CarrierLink } from './domain/carrier-link.ts';

/** A carrier with its state, for the operator. */
export function operatedCarrierOf(
  carrier: Carrier,
  link: CarrierLink | undefined,
  liveCalls: number,
): OperatedCarrier {
  const { name, prefixes } = carrier;
  const priorities = prefixes.map(({ priority }) => priority);
  return {
    name,
    direction: directionOf(carrier),
    ...stateOf(link),
    priority: priorities.length === 0 ? null : Math.min(...priorities),
    live_calls: liveCalls,
  };
}

/** A carrier without prefixes gets no calls; one without an address of its own and without registration hands none over. */
function directionOf({ prefixes, addresses, host, registration }: Carrier): string {
  const isHostAddress = /^(?:\[|[0-9.]+$)/.test(host);
  const isInbound = isHostAddress || addresses.length > 0 || registration !== undefined;
  if (prefixes.length === 0) return 'inbound';
  return isInbound ? 'both' : 'outbound';
}

function stateOf(link: CarrierLink | undefined): Pick<OperatedCarrier, 'state' | 'problem'> {
  if (link?.reach === 'unreachable') {
    return {
      state: 'unreachable',
      problem: 'It does not answer the probes (OPTIONS), or answers 408 or 503.',
    };
  }
  switch (link?.registration) {
    case 'registered':
      return { state: 'registered', problem: null };
    case 'failed': {
      const problem = `The registration failed ${link.failures} times in a row.`;
      return { state: 'unregistered', problem };
    }
    case 'asking':
      return { state: 'unknown', problem: null };
    default:
      return { state: link?.reach ?? 'unknown', problem: null };
  }
}
