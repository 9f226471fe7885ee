/** The owner or borrower of a leg, named by kind and id. */
export interface LegOwner {
  readonly kind: string;
  readonly id: string;
}

export interface CallbackUrl {
  readonly url: string;
  readonly method: 'GET' | 'POST';
}

/** Receivers of a leg's callbacks: `Event` is Ring, StartApp or Hangup. */
export interface LegCallbacks {
  readonly ring?: CallbackUrl;
  readonly answer?: CallbackUrl;
  readonly hangup?: CallbackUrl;
  /** Of the Dial that has the leg, which reports the end of the leg itself: the next process needs it where this one dies before. */
  readonly dial?: CallbackUrl;
  /** Fields of each callback, e.g. `MPCName`. */
  readonly fields?: Readonly<Record<string, string>>;
}
