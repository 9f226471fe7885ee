export type { RequestAccount } from './api-request.ts';
export {
  type Authentication,
  type Authenticator,
  unauthenticated,
} from './authentication.ts';
export { clientNamedBy } from './client-of.ts';
export {
  type ConsoleAccess,
  type ConsoleLogin,
  type ConsoleSession,
  consoleSessionItemOf,
  type IdentityLogin,
  type OpenedSession,
} from './console/console-access.ts';
export type { ConsoleFile, ConsolePages } from './console/console-pages.ts';
export { identityCallbackPath } from './console/register-identity-login.ts';
export { fileRoute } from './file-route.ts';
export type { GuidePages } from './guide.ts';
export type { ResourceHome } from './homes.ts';
export { createHttpApi, type HttpApiDeps } from './http-api.ts';
export type { HttpLimits } from './http-limits.ts';
export { idempotencyTable } from './migrations/0001-idempotency.ts';
export { withinCapacity, withPlacement } from './new-calls.ts';
export type { OpenRoute } from './open-route.ts';
export { operatorOnly } from './operator-only.ts';

export { RefusedRequest } from './refusals.ts';
export { type ApiRoute, type RouteGroup, route } from './route.ts';
export { upgradeAnswer } from './upgrade-refusal.ts';
