import type { Calls, CallsOverNodes } from '../../calls/index.ts';
import type { RemoteLegs } from '../remote-leg-sessions.ts';

/** Calls with the remote legs of this node, for owners of conversations. */
export function linkedCalls(
  calls: Calls & { readonly overNodes: Pick<CallsOverNodes, 'whenLeft'> },
  remote: RemoteLegs,
): Calls {
  const { sessions, find } = remote;
  return {
    ...calls,
    peek(leg) {
      const found = find(leg);
      return found === undefined ? calls.peek(leg) : { ...found.leg, owner: found.owner };
    },
    hangUp(leg, end) {
      const found = find(leg);
      if (found === undefined) calls.hangUp(leg, end);
      else sessions.send(found.link, { type: 'hang-up', end });
    },
    async lend(leg, borrower) {
      const found = find(leg);
      if (found === undefined) return calls.lend(leg, borrower);
      return (await sessions.ask<boolean>(found.link, { type: 'lend', borrower })) ?? false;
    },
    giveBack(leg, borrower, fields) {
      const { owner, link } = find(leg) ?? {};
      if (link === undefined) return calls.giveBack(leg, borrower, fields);
      if (owner?.kind === borrower.kind && owner.id === borrower.id)
        sessions.send(link, { type: 'give-back', fields });
    },
    extend(leg, seconds) {
      const found = find(leg);
      if (found === undefined) calls.extend(leg, seconds);
      else sessions.send(found.link, { type: 'extend', seconds });
    },
    async take(leg, owner) {
      const found = find(leg);
      if (found === undefined) return calls.take(leg, owner);
      const isTaken = (await sessions.ask<boolean>(found.link, { type: 'take', owner })) ?? false;
      await calls.overNodes.whenLeft(leg);
      return isTaken;
    },
  };
}
