import type { Capacity } from '../kernel/capacity.ts';
import type { Placement } from '../kernel/placement.ts';
import { refused } from '../kernel/result.ts';
import { homeOf, type NamingParts, type ResourceHome } from './homes.ts';
import { type ApiRoute, operationOf, type RouteGroup } from './route.ts';

/** Operations that begin a call, unless a live call is meant. */
const beginning: ReadonlySet<string> = new Set(['POST Call/', 'POST MultiPartyCall/:mpc/Participant/']);

/** A live leg that moves is no new call. */
function movesLeg({ body }: Pick<NamingParts, 'body'>): boolean {
  return typeof body === 'object' && body !== null && 'call_uuid' in body;
}

/** The operations of all features, of which those that begin a call refuse it while this node is full. */
export function withinCapacity(
  groups: readonly RouteGroup[],
  homes: readonly ResourceHome[],
  { full }: Pick<Capacity, 'full'>,
): readonly RouteGroup[] {
  const limited = (route: ApiRoute): ApiRoute => {
    if (!beginning.has(operationOf(route))) return route;
    const home = homeOf(homes, route);
    return {
      ...route,
      refuses: [...(route.refuses ?? []), 'no-capacity'],
      async run(request) {
        const problem = full();
        if (problem === undefined) return route.run(request);
        const parts = request as unknown as NamingParts;
        const isNew = !movesLeg(parts) && (await home?.of(request.account, parts)) === undefined;
        return isNew ? refused(problem) : route.run(request);
      },
    };
  };
  return groups.map((group) => ({ ...group, routes: group.routes.map(limited) }));
}

/** Homes of all features; a call that lives nowhere yet is made by the node that placement chooses. */
export function withPlacement(
  homes: readonly ResourceHome[],
  { chooseNode }: Placement,
): readonly ResourceHome[] {
  const placing = [...beginning].map((operation): ResourceHome => {
    const [method = '', path = ''] = operation.split(' ');
    const home = homeOf(homes, { method, path });
    return {
      operations: operation,
      async of(account, parts) {
        const known = await home?.of(account, parts);
        return known !== undefined || movesLeg(parts) ? known : chooseNode();
      },
    };
  });
  return [...placing, ...homes];
}
