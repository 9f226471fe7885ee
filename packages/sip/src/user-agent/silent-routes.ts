import type { Route } from './send-target.ts';

/** Targets that did not respond: each further request would wait for them again. */
export interface SilentRoutes {
  add(route: Route, now: number): void;
  /** The routes in their order, those of silent targets last. */
  last(routes: readonly Route[], now: number): readonly Route[];
}

/** Five minutes: the time between two look-ups of a usual DNS record. */
const forgottenAfterMs = 300_000;
/** Outsiders choose the targets of some requests. */
const mostTargets = 1000;

/** Remembers the silent targets of a user agent. */
export function createSilentRoutes(): SilentRoutes {
  const until = new Map<string, number>();
  return {
    add(route, now) {
      const key = keyOf(route);
      if (key === undefined) return;
      // The oldest stands first.
      until.delete(key);
      if (until.size >= mostTargets) until.delete(until.keys().next().value!);
      until.set(key, now + forgottenAfterMs);
    },
    last(routes, now) {
      if (until.size === 0 || routes.length < 2) return routes;
      const isSilent = (route: Route): boolean => (until.get(keyOf(route) ?? '') ?? 0) > now;
      return [...routes.filter((route) => !isSilent(route)), ...routes.filter(isSilent)];
    },
  };
}

function keyOf({ target }: Route): string | undefined {
  return 'host' in target ? `${target.protocol} ${target.host}:${target.port}` : undefined;
}
