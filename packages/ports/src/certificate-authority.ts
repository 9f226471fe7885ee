/** A certificate chain and its private key, as PEM. */
export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

/** What an authority reads over HTTP to see that a name leads here (RFC 8555 §8.3). */
export interface ChallengeAnswers {
  put(token: string, answer: string): void;
  remove(token: string): void;
}

/** Issues certificates for names that lead to this server. */
export interface CertificateAuthority {
  /** A certificate of these names with a new key; rejects with what the authority objected to. */
  order(names: readonly string[]): Promise<IssuedCertificate>;
}
