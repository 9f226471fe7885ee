import { createOwners } from '../../../kernel/owners.ts';
import type { Calls, Conversations, LegOwner, OwnedLegNotice } from '../public-api.ts';

/** Owners of legs, by kind: how each is notified, and its conversations. */
export interface LegOwners {
  readonly ownedBy: Calls['ownedBy'];
  /** Calls `observer` with every notice before its owner gets it. */
  observe(observer: (notice: OwnedLegNotice) => void): void;
  notify(owner: LegOwner, notice: OwnedLegNotice): void;
  conversationsOf(owner: LegOwner | null | undefined): Conversations | undefined;
  /** True for an owner whose legs no other owner gets. */
  isPrivate(owner: LegOwner | null | undefined): boolean;
}

export function createLegOwners(): LegOwners {
  const owners = createOwners<OwnedLegNotice>();
  const conversations = new Map<string, Conversations>();
  const privateKinds = new Set<string>();
  const observers: ((notice: OwnedLegNotice) => void)[] = [];
  return {
    ownedBy(kind, notify, own) {
      owners.ownedBy(kind, notify);
      if (own === 'private') privateKinds.add(kind);
      else if (own !== undefined) conversations.set(kind, own);
    },
    observe: (observer) => void observers.push(observer),
    notify(owner, notice) {
      for (const observer of observers) observer(notice);
      owners.notify(owner, notice);
    },
    conversationsOf: (owner) => (owner ? conversations.get(owner.kind) : undefined),
    isPrivate: (owner) => owner != null && privateKinds.has(owner.kind),
  };
}
