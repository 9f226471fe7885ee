/** A hash of a certificate (RFC 8122 §5): a name such as `sha-256`, and pairs of upper-case digits between colons. */
export interface Fingerprint {
  readonly hash: string;
  readonly value: string;
}

const fingerprintLine = /^a=fingerprint:([\w-]{1,20}) +((?:[0-9a-f]{2}:){15,63}[0-9a-f]{2}) *$/i;

/** Parses an attribute line; undefined when it is malformed. */
export function parseFingerprint(line: string): Fingerprint | undefined {
  const match = fingerprintLine.exec(line);
  return match === null ? undefined : { hash: match[1]!.toLowerCase(), value: match[2]!.toUpperCase() };
}
