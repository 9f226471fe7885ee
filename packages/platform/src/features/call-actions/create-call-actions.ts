import type { Media } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import { callActionRoutes } from './routes.ts';
import { defineSessions, type SessionDeps } from './sessions.ts';

export interface CallActionsDeps extends SessionDeps {
  readonly media: Pick<Media, 'send'>;
  readonly newUuid: () => string;
}

export interface CallActionsFeature extends Feature {
  readonly routes: readonly RouteGroup[];
}

/** The Call API on live calls: play, speak, record, digits. */
export function createCallActions(deps: CallActionsDeps): CallActionsFeature {
  const { calls, recordings, media, newUuid } = deps;
  const sessions = defineSessions(deps);
  const routes = [callActionRoutes({ sessions, calls, recordings, media, newUuid })];
  return { name: 'call-actions', routes };
}
