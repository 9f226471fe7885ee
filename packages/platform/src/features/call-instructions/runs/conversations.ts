import type { Sessions } from '../../../kernel/session-runner.ts';
import type { Conversations } from '../../calls/index.ts';
import type { DocumentRun, RunInput } from '../domain/document-run.ts';
import { connectedLeg, hasReplaceableLeg } from '../domain/document-run-machine.ts';

/** The conversations that Dial has connected, for phones that transfer their call. */
export function conversationsOf(
  sessions: Pick<Sessions<DocumentRun, RunInput>, 'ask' | 'peek'>,
): Conversations {
  function connected(owner: string): string | undefined {
    const run = sessions.peek(owner);
    return run === undefined ? undefined : connectedLeg(run);
  }

  return {
    partnerOf(owner, leg) {
      const other = connected(owner);
      if (leg === owner) return other;
      return leg === other ? owner : undefined;
    },
    departureOf(owner, leg) {
      const run = sessions.peek(owner);
      if (run === undefined || !hasReplaceableLeg(run)) return undefined;
      if (leg === owner) return 'releasable';
      // The documents stay with the leg that they run on.
      return leg === connectedLeg(run) ? 'bound' : undefined;
    },
    succeed: async (owner, successor) =>
      (await sessions.ask<boolean>(owner, { type: 'succeed', ...successor })) ?? false,
    release: async (owner) => (await sessions.ask<boolean>(owner, { type: 'release' })) ?? false,
  };
}
