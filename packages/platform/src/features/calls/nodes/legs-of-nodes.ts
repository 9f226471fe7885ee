import type { LegsOfConversations } from './other-nodes.ts';

/** The legs of conversations: those of this node, until it has others. */
export function createLegsOfNodes(own: LegsOfConversations) {
  let all = own;
  return {
    legs: {
      peek: (leg) => all.peek(leg),
      hangUp: (leg, end) => all.hangUp(leg, end),
      take: (leg, owner) => all.take(leg, owner),
    } satisfies LegsOfConversations,
    reach(given: LegsOfConversations): void {
      all = given;
    },
  };
}
