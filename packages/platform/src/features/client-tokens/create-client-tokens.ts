import type { ClientTokens, Secrets } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import type { TurnServer } from './ice/ice-servers.ts';
import { clientTokenRoutes } from './routes.ts';
import { type AdmissionDeps, createTokenAdmission } from './tokens/admit.ts';
import type { IssueDeps } from './tokens/issue.ts';

export type ClientTokensDeps = AdmissionDeps &
  Pick<IssueDeps, 'isApplication'> & {
    /** The operator's TURN server; none when absent. */
    readonly turn?: TurnServer;
    readonly secrets: Pick<Secrets, 'signSha1'>;
  };

interface ClientTokensFeature extends Feature {
  readonly routes: readonly RouteGroup[];
  /** For signalling: the clients of presented tokens. */
  readonly tokens: ClientTokens;
}

/** Tokens with which browsers and apps register and call without a password. */
export function createClientTokens(deps: ClientTokensDeps): ClientTokensFeature {
  const { authTokenOf } = deps.accounts;
  return {
    name: 'client-tokens',
    routes: [clientTokenRoutes({ ...deps, authTokenOf })],
    tokens: createTokenAdmission(deps),
  };
}
