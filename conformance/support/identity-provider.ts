import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';

/** Claims of a person beside the subject. */
export type Person = Readonly<Record<string, unknown>>;

export interface IdentityProviderOptions {
  /** The name of this machine in the issuer; 127.0.0.1 when left out. */
  readonly host?: string;
  readonly port: number;
  readonly redirectUrl: string;
  readonly people: Readonly<Record<string, Person>>;
}

/** An OpenID Connect provider in the process of the test: `person` is at the keyboard, and agrees to everything. */
export class TestIdentityProvider {
  readonly host: string;
  readonly issuer: string;
  readonly clientId = 'jackfield';
  readonly clientSecret = 'the-secret-of-the-client';
  /** Who logs in next. */
  person = '';
  /** Requests for tokens so far. */
  tokenRequests = 0;
  readonly #server: Server;
  readonly #provider: Provider;

  private constructor({ host = '127.0.0.1', port, redirectUrl, people }: IdentityProviderOptions) {
    this.host = `${host}:${port}`;
    this.issuer = `http://${this.host}`;
    this.#provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: this.clientId,
          client_secret: this.clientSecret,
          redirect_uris: [redirectUrl],
          grant_types: ['authorization_code'],
          response_types: ['code'],
          token_endpoint_auth_method: 'client_secret_basic',
        },
      ],
      claims: {
        openid: ['sub'],
        profile: ['preferred_username', 'groups'],
        email: ['email', 'email_verified'],
      },
      scopes: ['openid', 'profile', 'email'],
      findAccount: (_context: unknown, accountId: string) => ({
        accountId,
        claims: async () => ({ sub: accountId, ...people[accountId] }),
      }),
      // Refused without a challenge: the server has to send one.
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
      cookies: { keys: ['of-a-test'] },
    });
    const serve = this.#provider.callback();
    this.#server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', this.issuer);
      if (pathname === '/token') this.tokenRequests++;
      const done = pathname.startsWith('/interaction/')
        ? this.#interact(request, response)
        : serve(request, response);
      done.catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
  }

  static async start(options: IdentityProviderOptions): Promise<TestIdentityProvider> {
    const provider = new TestIdentityProvider(options);
    await new Promise<void>((resolve, reject) => {
      provider.#server.once('error', reject);
      provider.#server.listen(options.port, '127.0.0.1', resolve);
    });
    return provider;
  }

  async #interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await this.#provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      const login = { login: { accountId: this.person } };
      return this.#provider.interactionFinished(request, response, login, { mergeWithLastSubmission: false });
    }
    const grant = new this.#provider.Grant({
      accountId: session?.accountId ?? this.person,
      clientId: params.client_id,
    });
    grant.addOIDCScope(params.scope);
    const consent = { consent: { grantId: await grant.save() } };
    return this.#provider.interactionFinished(request, response, consent, { mergeWithLastSubmission: true });
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
