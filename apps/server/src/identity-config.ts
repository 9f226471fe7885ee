import type { ConfigProblem, ConfigReader } from './config-reader.ts';
import { identityVariables, isOnThisMachine } from './identity-variables.ts';

/** Logins of people through the identity provider of their organisation. */
export interface IdentityConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  /** The claim that holds the groups of a person. */
  readonly groupsClaim: string;
  /** The groups whose people get each role. */
  readonly groups: Readonly<Record<'owner' | 'operator' | 'viewer', readonly string[]>>;
}

/** Absent without an issuer; a part of the rest alone is refused (`identityContradictions`). */
export function readIdentity({ orDefault, optional }: ConfigReader): IdentityConfig | undefined {
  const variables = identityVariables;
  const none = 'no logins through an identity provider';
  const issuer = optional(variables.oidcIssuer, none);
  const clientId = optional(variables.oidcClientId, none);
  const clientSecret = optional(variables.oidcClientSecret, none);
  const scope = orDefault(variables.oidcScope, 'openid profile email');
  const groupsClaim = orDefault(variables.oidcGroupsClaim, 'groups');
  const noGroups: readonly string[] = [];
  const groups = {
    owner: orDefault(variables.oidcOwners, noGroups, 'no group'),
    operator: orDefault(variables.oidcOperators, noGroups, 'no group'),
    viewer: orDefault(variables.oidcViewers, noGroups, 'no group'),
  };
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { issuer, clientId, clientSecret, scope, groupsClaim, groups };
}

/** Mistakes in these variables together, and with the URL to which the provider sends the browser back. */
export function identityContradictions(
  { publicUrl }: { readonly publicUrl: string },
  { isSet }: Pick<ConfigReader, 'isSet'>,
): readonly ConfigProblem[] {
  const { oidcIssuer, oidcClientId, oidcClientSecret, ...rest } = identityVariables;
  const { oidcOwners, oidcOperators, oidcViewers } = rest;
  const needed = [oidcIssuer, oidcClientId, oidcClientSecret];
  const problems: ConfigProblem[] = [];
  const given = [...needed, ...Object.values(rest)].find(isSet);
  if (given === undefined) return problems;
  for (const { name } of needed.filter((variable) => !isSet(variable))) {
    problems.push({ variable: name, sentence: `${name} must be set together with ${given.name}` });
  }
  if (![oidcOwners, oidcOperators, oidcViewers].some(isSet)) {
    const names = `${oidcOwners.name}, ${oidcOperators.name} or ${oidcViewers.name}`;
    const sentence = `${names} must name a group: without one the identity provider lets no person in`;
    problems.push({ variable: oidcOwners.name, sentence });
  }
  const url = new URL(publicUrl);
  if (isSet(oidcIssuer) && url.protocol !== 'https:' && !isOnThisMachine(url)) {
    const sentence = `${oidcIssuer.name} needs a JACKFIELD_PUBLIC_URL with https:, not ${publicUrl}: the provider sends the browser back to it`;
    problems.push({ variable: oidcIssuer.name, sentence });
  }
  return problems;
}
