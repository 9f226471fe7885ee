/** Credentials of signalling that were refused. */
export interface FailedLogin {
  /** The address that they came from. */
  readonly source: string;
  /** The user and the realm that they name; undefined where they cannot be read. */
  readonly username: string | undefined;
  readonly realm: string | undefined;
}

/** Where signalling tells of refused credentials; returns at once, and may be called often. */
export interface FailedLogins {
  failed(login: FailedLogin): void;
}
