import { clientToken, newClientToken } from '@jackfield/contract';
import type { ClientTokens } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import { type RouteGroup, route } from '../../http/index.ts';
import { accepted } from '../../kernel/result.ts';
import { type AdmissionDeps, createTokenAdmission } from './admit.ts';
import { type IssueDeps, issueToken } from './issue.ts';

export { withClientNames } from './reachable.ts';

export type ClientTokensDeps = AdmissionDeps & Pick<IssueDeps, 'isApplication'>;

export interface ClientTokensFeature extends Feature {
  readonly routes: readonly RouteGroup[];
  /** For signalling: who presents a token. */
  readonly tokens: ClientTokens;
}

/** Tokens with which browsers and apps register and call without a password. */
export function createClientTokens(deps: ClientTokensDeps): ClientTokensFeature {
  const { authTokenOf } = deps.accounts;
  return {
    name: 'client-tokens',
    routes: [
      {
        name: 'Client tokens',
        description: 'Tokens with which browsers and apps register and call without a password.',
        routes: [
          route({
            method: 'POST',
            path: 'JWT/Token/',
            operation: 'Generate a client token',
            id: 'createClientToken',
            description: 'A JWT, signed by HS256 with the auth_token of the account on the path.',
            schema: { body: newClientToken, response: clientToken },
            success: 200,
            async run({ account, body, now }) {
              const token = await issueToken({ ...deps, authTokenOf }, account, body, now);
              return token.ok ? accepted({ token: token.value }) : token;
            },
          }),
        ],
      },
    ],
    tokens: createTokenAdmission(deps),
  };
}
