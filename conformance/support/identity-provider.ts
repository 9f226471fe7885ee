import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import { freePort } from './ports.ts';

/** Claims of a person beside the subject. */
export type Person = Readonly<Record<string, unknown>>;

export interface IdentityProviderOptions {
  /** The name of this machine in the issuer; 127.0.0.1 when left out. */
  readonly host?: string;
  readonly people: Readonly<Record<string, Person>>;
  /** The groups whose members have a role of the console. */
  readonly groups: { readonly owners: string; readonly operators?: string; readonly viewers?: string };
}

/** An OpenID Connect provider in the process of the test, for one platform: `person` is at the keyboard, and agrees to everything. */
export class TestIdentityProvider {
  readonly host: string;
  readonly issuer: string;
  /** Of the platform, which listens at a port of its own. */
  readonly settings: Readonly<Record<string, string>>;
  /** Who logs in next. */
  person = '';
  /** Requests for tokens so far. */
  tokenRequests = 0;
  readonly #port: number;
  readonly #server: Server;
  readonly #provider: Provider;

  private constructor(
    { host = '127.0.0.1', people, groups }: IdentityProviderOptions,
    port: number,
    platformPort: number,
  ) {
    this.#port = port;
    this.host = `${host}:${port}`;
    this.issuer = `http://${this.host}`;
    const client = { id: 'jackfield', secret: 'the-secret-of-the-client' };
    const platformUrl = `http://127.0.0.1:${platformPort}`;
    this.settings = {
      JACKFIELD_HTTP_PORT: String(platformPort),
      JACKFIELD_PUBLIC_URL: platformUrl,
      JACKFIELD_OIDC_ISSUER: this.issuer,
      JACKFIELD_OIDC_CLIENT_ID: client.id,
      JACKFIELD_OIDC_CLIENT_SECRET: client.secret,
      JACKFIELD_OIDC_OWNERS: groups.owners,
      ...(groups.operators === undefined ? {} : { JACKFIELD_OIDC_OPERATORS: groups.operators }),
      ...(groups.viewers === undefined ? {} : { JACKFIELD_OIDC_VIEWERS: groups.viewers }),
    };
    this.#provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          redirect_uris: [`${platformUrl}/console/login/callback`],
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

  /** Takes ports for both; it answers from `listen` on. */
  static async create(options: IdentityProviderOptions): Promise<TestIdentityProvider> {
    return new TestIdentityProvider(options, await freePort(), await freePort());
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, '127.0.0.1', resolve);
    });
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
