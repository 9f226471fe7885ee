import { createOwners } from '../../../kernel/owners.ts';
import type { Calls, Conversations, LegOwner, OwnedLegNotice } from '../public-api.ts';

/** Owners of legs, by kind: how each is notified, and its conversations. */
export interface LegOwners {
  readonly ownedBy: Calls['ownedBy'];
  /** Calls `observer` with every notice before its owner gets it. */
  observe(observer: (notice: OwnedLegNotice) => void): void;
  notify(owner: LegOwner, notice: OwnedLegNotice): void;
  /** Resolves when the owners that this leg has left have handled `leg-taken`. */
  whenLeft(leg: string): Promise<void>;
  conversationsOf(owner: LegOwner | null | undefined): Conversations | undefined;
  /** True for an owner whose legs no other owner gets. */
  isPrivate(owner: LegOwner | null | undefined): boolean;
}

export function createLegOwners(): LegOwners {
  const owners = createOwners<OwnedLegNotice>();
  const conversations = new Map<string, Conversations>();
  const privateKinds = new Set<string>();
  const observers: ((notice: OwnedLegNotice) => void)[] = [];
  const waits = new Map<string, (owner: string) => Promise<void>>();
  /** By leg. */
  const leaving = new Map<string, Promise<void>>();

  function left(leg: string, { kind, id }: LegOwner): void {
    const handled = waits.get(kind)?.(id);
    if (handled === undefined) return;
    // An owner of a process that closes rejects; there is no order left to wait for.
    const all = Promise.allSettled([leaving.get(leg), handled]).then(() => {
      if (leaving.get(leg) === all) leaving.delete(leg);
    });
    leaving.set(leg, all);
  }

  return {
    ownedBy(kind, notify, own, whenHandled) {
      owners.ownedBy(kind, notify);
      if (whenHandled !== undefined) waits.set(kind, whenHandled);
      if (own === 'private') privateKinds.add(kind);
      else if (own !== undefined) conversations.set(kind, own);
    },
    observe: (observer) => void observers.push(observer),
    notify(owner, notice) {
      for (const observer of observers) observer(notice);
      owners.notify(owner, notice);
      if (notice.type === 'leg-taken') left(notice.leg, owner);
    },
    whenLeft: (leg) => leaving.get(leg) ?? Promise.resolve(),
    conversationsOf: (owner) => (owner ? conversations.get(owner.kind) : undefined),
    isPrivate: (owner) => owner != null && privateKinds.has(owner.kind),
  };
}
