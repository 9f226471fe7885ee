import type { FastifyInstance } from 'fastify';
import { limitConnections } from './connection-limits.ts';
import { type AppDeps, createApp } from './create-app.ts';
import { measureRequests } from './operations.ts';

/** Scrapers, probes and a browser or two: more than these never need it at once. */
const connections = 1_000;

/**
 * The listener of the operator: what `operations` registers and nothing else. It speaks plain HTTP, for a network of the operator alone.
 */
export function createOperatorApp(
  { certificate: _, ...deps }: AppDeps,
  operations: (app: FastifyInstance) => void,
): FastifyInstance {
  const app = createApp(deps);
  const limits = { connections, connectionsPerSource: connections };
  limitConnections(app.server, { ...deps, limits, isTrusted: deps.isForwarder });
  measureRequests(app, deps.metrics);
  operations(app);
  return app;
}
