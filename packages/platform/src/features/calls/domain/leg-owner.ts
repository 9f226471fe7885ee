/** Whom a leg belongs to, or is lent to: told by kind and id. */
export interface LegOwner {
  readonly kind: string;
  readonly id: string;
}

export interface CallbackUrl {
  readonly url: string;
  readonly method: 'GET' | 'POST';
}

/** Who is told of what becomes of a leg, through the outbox: `Event` is Ring, StartApp or Hangup. */
export interface LegCallbacks {
  readonly ring?: CallbackUrl;
  readonly answer?: CallbackUrl;
  readonly hangup?: CallbackUrl;
  /** Told with each of them, e.g. `MPCName`. */
  readonly fields?: Readonly<Record<string, string>>;
}
