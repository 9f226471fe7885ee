import { callPath } from '@jackfield/contract';
import { callQualityBody } from '@jackfield/contract/console';
import { type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import type { CallQualityStore } from './store.ts';

export interface RouteDeps {
  readonly store: CallQualityStore;
  isKnown(viewer: RequestAccount, call: string): Promise<boolean>;
}

/** More than a call of a day has. */
const mostSamples = 2_000;

export function callQualityRoutes({ store, isKnown }: RouteDeps): RouteGroup {
  return {
    name: 'Calls',
    routes: [
      route({
        method: 'GET',
        path: 'Call/:call_uuid/Quality/',
        operation: 'Retrieve the quality of a call over time',
        id: 'retrieveCallQuality',
        description:
          'Samples of the audio that came from the phone, every ten seconds from the answer on and every minute after an hour; also of a live call. Kept for seven days.',
        schema: { params: callPath, response: callQualityBody },
        success: 200,
        async run({ account, params }) {
          const call = params.call_uuid.toLowerCase();
          if (!(await isKnown(account, call))) return refused(notFound('call', params.call_uuid));
          return accepted({ call_uuid: call, objects: await store.list(call, mostSamples) });
        },
      }),
    ],
  };
}
