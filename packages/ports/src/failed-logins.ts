/** Credentials that signalling refused. */
export interface FailedLogin {
  /** The source address. */
  readonly source: string;
  /** The user and the realm in the credentials; undefined if unreadable. */
  readonly username: string | undefined;
  readonly realm: string | undefined;
}

/** Receives refused credentials from signalling; returns at once, and may be called often. */
export interface FailedLogins {
  failed(login: FailedLogin): void;
}
