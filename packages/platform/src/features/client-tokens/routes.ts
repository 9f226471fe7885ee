import { clientToken, iceServerList, newClientToken } from '@jackfield/contract';
import type { Secrets } from '@jackfield/ports';
import { type RouteGroup, route } from '../../http/index.ts';
import { accepted } from '../../kernel/result.ts';
import { credentialSeconds, iceServers, type TurnServer } from './ice/ice-servers.ts';
import { type IssueDeps, issueToken } from './tokens/issue.ts';

export function clientTokenRoutes(
  deps: IssueDeps & { readonly turn?: TurnServer; readonly secrets: Pick<Secrets, 'signSha1'> },
): RouteGroup {
  return {
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
          const token = await issueToken(deps, account, body, now);
          return token.ok ? accepted({ token: token.value }) : token;
        },
      }),
      route({
        method: 'GET',
        path: 'IceServers/',
        operation: 'List the ICE servers for pages',
        description:
          'TURN servers with credentials for a while, for pages whose network lets nothing but TLS through. Empty unless the operator has one: no other page needs any.',
        schema: { response: iceServerList },
        success: 200,
        async run({ account, now }) {
          const servers = iceServers(deps.turn, deps.secrets, account.authId, Math.floor(now / 1000));
          return accepted({ ttl: credentialSeconds, ice_servers: servers });
        },
      }),
    ],
  };
}
