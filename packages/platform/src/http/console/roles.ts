import { type ConsoleRole, consoleRoles } from '@jackfield/contract/console';
import { type Problem, problem } from '../../kernel/problem.ts';
import type { ApiRoute } from '../route.ts';

/** First parts of paths whose changes are acts on live things, not on the configuration. */
const liveThings: readonly string[] = [
  'AudioStream',
  'Call',
  'Callback',
  'JWT',
  'MultiPartyCall',
  'Request',
  'Sandbox',
  'Stream',
  'Verify',
];
/** Of these, the paths that hold configuration. */
const configured = /^Verify\/App\//;

/** The least role that a session needs for an operation: what the route says, or by its method and path. */
export function leastRoleOf({
  method,
  path,
  least,
}: Pick<ApiRoute, 'method' | 'path' | 'least'>): ConsoleRole {
  if (least !== undefined) return least;
  if (method === 'GET') return 'viewer';
  const isLive = liveThings.includes(path.slice(0, path.indexOf('/'))) && !configured.test(path);
  return isLive ? 'operator' : 'owner';
}

export function roleRefusal(role: ConsoleRole, least: ConsoleRole): Problem | undefined {
  if (consoleRoles.indexOf(role) >= consoleRoles.indexOf(least)) return undefined;
  return problem('forbidden', `this session has the role ${role}: the operation is for ${least}`);
}
