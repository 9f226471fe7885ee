export type { ApiRequest, ApiRoute, RequestAccount, RouteGroup } from './route.ts';
export { route } from './route.ts';
