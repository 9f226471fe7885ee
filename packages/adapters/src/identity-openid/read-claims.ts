type Claims = Readonly<Record<string, unknown>>;

/** Most characters of a name: it is shown in the column of a list. */
const longestName = 200;

/** An address that the provider has verified, a preferred name, or the subject, which every token has. */
export function nameOf(claims: Claims): string {
  const { email, email_verified: isVerified, preferred_username: preferred, sub } = claims;
  const candidates = [isVerified === false ? undefined : email, preferred, sub];
  const name = candidates.find((each) => typeof each === 'string' && each !== '');
  return String(name ?? 'unnamed').slice(0, longestName);
}

/** Providers send one group as a text, or several as a list. */
export function groupsOf(claim: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return values.filter((each): each is string => typeof each === 'string' && each !== '');
}
