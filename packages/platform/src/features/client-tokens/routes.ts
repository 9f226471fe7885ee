import { clientToken, newClientToken } from '@jackfield/contract';
import { type RouteGroup, route } from '../../http/index.ts';
import { accepted } from '../../kernel/result.ts';
import { type IssueDeps, issueToken } from './tokens/issue.ts';

export function clientTokenRoutes(deps: IssueDeps): RouteGroup {
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
    ],
  };
}
