import type { Logger } from '@jackfield/ports';

/** Who started a live thing, such as a leg or a play: a kind of owner, and its name within the kind. */
export interface Owner {
  readonly kind: string;
  readonly id: string;
}

/** How each kind of owner is notified of what happens to its live things. */
export interface Owners<Notice> {
  /** Throws when the kind is registered already: its notices would go to one of two listeners. */
  ownedBy(kind: string, notify: (owner: string, notice: Notice) => void): void;
  has(kind: string): boolean;
  /** Without effect for a kind that is not registered. Throws what the listener throws. */
  notify(owner: Owner, notice: Notice): void;
}

/** Notifies an owner, for notices that no caller waits for: logs what its listener throws. */
export function notifyOrLog<Notice>(
  owners: Pick<Owners<Notice>, 'notify'>,
  log: Pick<Logger, 'error'>,
  { kind, id }: Owner,
  owner: Owner,
  notice: Notice,
): void {
  try {
    owners.notify(owner, notice);
  } catch (err) {
    log.error({ [kind]: id, owner: owner.kind, err }, `the owner of a ${kind} threw`);
  }
}

/** Creates the table, without owners. */
export function createOwners<Notice>(): Owners<Notice> {
  const listeners = new Map<string, (owner: string, notice: Notice) => void>();
  return {
    ownedBy(kind, notify) {
      if (listeners.has(kind))
        throw new Error(`kind '${kind}' has an owner already: register each kind once`);
      listeners.set(kind, notify);
    },
    has: (kind) => listeners.has(kind),
    notify: ({ kind, id }, notice) => listeners.get(kind)?.(id, notice),
  };
}
