import type { Calls, Conversations, LegOwner, OwnedLegNotice } from '../public-api.ts';

/** Who owns legs, by kind: how each is notified, and what it says of its conversations. */
export interface LegOwners {
  readonly ownedBy: Calls['ownedBy'];
  notify(owner: LegOwner, notice: OwnedLegNotice): void;
  conversationsOf(owner: LegOwner | null | undefined): Conversations | undefined;
  /** True for an owner whose legs are never those of another one. */
  isPrivate(owner: LegOwner | null | undefined): boolean;
}

export function createLegOwners(): LegOwners {
  const owners = new Map<string, (owner: string, notice: OwnedLegNotice) => void>();
  const conversations = new Map<string, Conversations>();
  const privateKinds = new Set<string>();
  return {
    ownedBy(kind, tell, own) {
      owners.set(kind, tell);
      if (own === 'private') privateKinds.add(kind);
      else if (own !== undefined) conversations.set(kind, own);
    },
    notify: (owner, notice) => owners.get(owner.kind)?.(owner.id, notice),
    conversationsOf: (owner) => (owner ? conversations.get(owner.kind) : undefined),
    isPrivate: (owner) => owner != null && privateKinds.has(owner.kind),
  };
}
