export {
  type Authentication,
  type Authenticator,
  type Credentials,
  unauthenticated,
} from './authentication.ts';
export { type FileRoute, fileRoute, type ServedFile } from './file-route.ts';
export { createHttpApi, defaultHttpLimits, type HttpApiDeps, type HttpLimits } from './http-api.ts';
export { idempotencyTable } from './migrations/0001-idempotency.ts';
export type { OpenRoute } from './open-route.ts';
export type { MetricsAccess } from './operations.ts';
export { RefusedRequest } from './refusals.ts';
export { type ApiRequest, type ApiRoute, type RequestAccount, type RouteGroup, route } from './route.ts';
