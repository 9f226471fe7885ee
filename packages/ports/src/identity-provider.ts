/** What binds the answer of an identity provider to the login that one browser began. */
export interface LoginSecrets {
  /** RFC 6749 §10.12. */
  readonly state: string;
  /** OpenID Connect Core 1.0 §3.1.2.1: the token names it. */
  readonly nonce: string;
  /** RFC 7636 §4.1: 43 to 128 unreserved characters. */
  readonly codeVerifier: string;
}

/** A person whom the identity provider has authenticated. */
export interface IdentifiedPerson {
  /** The name of the person for other people: email, preferred name or subject. */
  readonly name: string;
  /** The values of the claim that decides about the role. */
  readonly groups: readonly string[];
}

/** The identity provider of the operator's organisation. */
export interface IdentityProvider {
  /** The host of the provider, as the login page shows it. */
  readonly host: string;
  /** The URL at which the person logs in. Throws when the provider cannot be reached. */
  loginUrl(secrets: LoginSecrets): Promise<string>;
  /**
   * The person that the answer stands for. `query` is that of the request with which the browser came back. Throws when the answer is not
   * one to these secrets, is signed wrongly, or reports an error.
   */
  identify(query: string, secrets: LoginSecrets): Promise<IdentifiedPerson>;
}
