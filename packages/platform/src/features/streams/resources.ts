import type { AccountResources } from '../../feature.ts';
import type { Streams } from './public-api.ts';
import { liveOf, passOnStreams, removeStreams } from './store.ts';

/** With a deleted subaccount its live streams end. */
export function streamResources(stop: Streams['stop']): AccountResources {
  return {
    async remove(write, account) {
      for (const stream of await liveOf(write, account)) stop(stream, 'API request');
      await removeStreams(write, account);
    },
    passOn: passOnStreams,
  };
}
