import {
  type Binding,
  type CallEnd,
  callEnds,
  type DialTarget,
  type NumberRoutes,
  type OwnNumbers,
  type Registrations,
} from '@jackfield/ports';
import { isUsername, readDestination } from '../domain/destination.ts';

export interface RoutingDeps {
  readonly registrations: Registrations;
  readonly numbers: NumberRoutes;
  readonly ownNumbers?: OwnNumbers;
  readonly domains: readonly string[];
  readonly isWithin: (account: string, owner: string) => Promise<boolean>;
  /** Undefined for an account that is gone. */
  readonly mainAccountOf: (account: string) => Promise<string | undefined>;
}

interface Caller {
  readonly account: string;
  readonly mainAccount: string;
}

export type Route =
  | { readonly ok: true; readonly callee: string; readonly targets: readonly DialTarget[] }
  | { readonly ok: false; readonly end: CallEnd };

/** Finds the present targets of a destination, or why there are none. */
export interface Routing {
  routeTo(caller: Caller, to: string): Promise<Route>;
}

export function createRouting(deps: RoutingDeps): Routing {
  /** What lives has the account of its beginning: endpoints of a deleted subaccount have passed to the main account. */
  async function mayReach(endpointOf: string, { account, mainAccount }: Caller): Promise<boolean> {
    if (await deps.isWithin(endpointOf, account)) return true;
    if (account === mainAccount || (await deps.mainAccountOf(account)) !== undefined) return false;
    return deps.isWithin(endpointOf, mainAccount);
  }

  async function routeToUser(caller: Caller, user: string, instance?: string): Promise<Route> {
    const credential = await deps.registrations.credentialOf(user);
    // An endpoint of another account is answered like an unknown one.
    if (credential === undefined || !(await mayReach(credential.account, caller))) {
      return nowhere(`${JSON.stringify(user)} ${isUsername(user) ? unknown : unfinished}`);
    }
    const all = await deps.registrations.bindingsOf(credential.endpoint);
    // RFC 5627 §6.1: a GRUU names one phone of those that are registered.
    const phone = instance === undefined ? undefined : `<${instance}>`;
    const bindings = phone === undefined ? all : all.filter((binding) => binding.instance === phone);
    if (bindings.length === 0) {
      // §6.1: a GRUU of an unknown phone is answered like an unknown URI; a GRUU of an unregistered phone like its user.
      const isPhone =
        phone === undefined || (await deps.registrations.knowsInstance(credential.endpoint, phone));
      if (!isPhone)
        return nowhere(`${JSON.stringify(instance)} is no phone of endpoint ${JSON.stringify(user)}`);
      const reason = `endpoint ${JSON.stringify(user)} is not registered: no phone has logged in with its username`;
      return { ok: false, end: callEnds(2020, 'Service', reason) };
    }
    return { ok: true, callee: user, targets: targetsOf(credential.endpoint, bindings) };
  }

  async function routeToNumber(number: string): Promise<Route> {
    const trunk = await deps.ownNumbers?.trunkOf(number);
    if (trunk?.targets.length === 0) return { ok: false, end: callEnds(2010, 'Service') };
    const targets = trunk?.targets ?? deps.numbers.targetsFor(number);
    return targets === undefined
      ? { ok: false, end: callEnds(5020, 'Service', `no carrier is configured for ${number}`) }
      : { ok: true, callee: number, targets };
  }

  return {
    async routeTo(caller, to) {
      const destination = readDestination(to, deps.domains);
      switch (destination.kind) {
        case 'number':
          return routeToNumber(destination.number);
        case 'user':
          return routeToUser(caller, destination.user, destination.instance);
        case 'elsewhere':
          return nowhere(
            `${JSON.stringify(destination.domain)} is no SIP domain of this platform: it serves ${deps.domains.join(', ')}`,
          );
        case 'unreadable':
          return nowhere(`${JSON.stringify(to)} is neither a number in E.164 format nor an endpoint`);
      }
    },
  };
}

const unknown = 'is no endpoint of this account: GET Endpoint/ lists them';
const unfinished =
  'is no endpoint of this account: a username ends in the twelve digits that the service appended when the endpoint was created, such as alice261121120000; GET Endpoint/ lists them';

function nowhere(reason: string): Route {
  return { ok: false, end: callEnds(2000, 'Service', reason) };
}

/** Every contact once; the flows of one phone are one target, the newest first (RFC 5626 §5.3). */
function targetsOf(endpoint: string, bindings: readonly Binding[]): DialTarget[] {
  const phones = new Map<string, DialTarget[]>();
  for (const [index, { contact, flow, path, instance, regId, mayCall }] of bindings.entries()) {
    const target: DialTarget = {
      uri: contact,
      flow,
      phone: { endpoint, ...(instance !== undefined && { instance }) },
      ...(path !== undefined && { path }),
      ...(mayCall === false && { mayCall }),
    };
    const phone = instance === undefined || regId === undefined ? String(index) : instance;
    phones.set(phone, [...(phones.get(phone) ?? []), target]);
  }
  return [...phones.values()].map(([first, ...otherFlows]) => ({
    ...first!,
    ...(otherFlows.length > 0 && { otherFlows }),
  }));
}
