import { isLoopback } from '@jackfield/ports';
import { asList, asPattern } from './config-values.ts';

const asGroup = asPattern(/^[^,\s][^,]{0,199}$/);
const groupsOfRole = 'names of groups, separated by commas';

/** The code of a login and the tokens travel over these URLs: TLS, or this machine. */
function asIssuer(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.search !== '' || url.hash !== '' || url.username !== '') return undefined;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isOnThisMachine(url)) ? text : undefined;
}

/** By the name in the URL: no name is resolved for this. */
export function isOnThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
}

export const identityVariables = {
  oidcIssuer: {
    name: 'JACKFIELD_OIDC_ISSUER',
    allowed: 'a URL such as https://login.example.com, with http: on this machine alone, without a query',
    read: asIssuer,
  },
  oidcClientId: {
    name: 'JACKFIELD_OIDC_CLIENT_ID',
    allowed: '1 to 200 visible ASCII characters',
    read: asPattern(/^[!-~]{1,200}$/),
  },
  oidcClientSecret: {
    name: 'JACKFIELD_OIDC_CLIENT_SECRET',
    allowed: '1 to 500 visible ASCII characters',
    read: asPattern(/^[!-~]{1,500}$/),
    secret: true,
  },
  oidcScope: {
    name: 'JACKFIELD_OIDC_SCOPE',
    allowed: 'scopes separated by spaces, openid among them',
    read: asPattern(/^(?=.*(?:^| )openid(?: |$))[!-~]+( [!-~]+)*$/),
  },
  oidcGroupsClaim: {
    name: 'JACKFIELD_OIDC_GROUPS_CLAIM',
    allowed: 'the name of a claim, 1 to 200 visible ASCII characters',
    read: asPattern(/^[!-~]{1,200}$/),
  },
  oidcOwners: { name: 'JACKFIELD_OIDC_OWNERS', allowed: groupsOfRole, read: asList(asGroup) },
  oidcOperators: { name: 'JACKFIELD_OIDC_OPERATORS', allowed: groupsOfRole, read: asList(asGroup) },
  oidcViewers: { name: 'JACKFIELD_OIDC_VIEWERS', allowed: groupsOfRole, read: asList(asGroup) },
} as const;
