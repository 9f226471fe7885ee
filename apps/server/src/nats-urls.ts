/** Servers of one NATS cluster, and how this node shows who it is. */
export interface NatsUrls {
  /** `host:port` */
  readonly servers: readonly string[];
  readonly isTls: boolean;
  readonly credentials?: { readonly user: string; readonly password: string } | { readonly token: string };
}

const defaultPort = 4222;

/** As clients of NATS read them: `nats://user:password@host:port`, a user alone is a token. The first URL names the credentials. */
export function asNatsUrls(text: string): NatsUrls | undefined {
  const parts = text.split(',').map((part) => part.trim());
  if (!parts.every((part) => URL.canParse(part))) return undefined;
  const urls = parts.map((part) => new URL(part));
  const [first] = urls;
  const isServer = ({ protocol, hostname, pathname }: URL) =>
    protocol === first!.protocol && hostname !== '' && (pathname === '' || pathname === '/');
  if (first === undefined || !['nats:', 'tls:'].includes(first.protocol) || !urls.every(isServer))
    return undefined;
  const servers = urls.map(({ hostname, port }) => `${hostname}:${port === '' ? defaultPort : port}`);
  return { servers, isTls: first.protocol === 'tls:', ...credentialsOf(first) };
}

function credentialsOf({ username, password }: URL): Pick<NatsUrls, 'credentials'> {
  if (username === '') return {};
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  return { credentials: secret === '' ? { token: user } : { user, password: secret } };
}
