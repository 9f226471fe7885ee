import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import {
  type Bus,
  BusError,
  type BusReceiver,
  everyone,
  type Logger,
  longestBusMessage,
} from '@jackfield/ports';
import {
  connect,
  credsAuthenticator,
  errors,
  headers,
  type Msg,
  type NatsConnection,
} from '@nats-io/transport-node';

/** The credentials of a node; without any, the server has to admit every client. */
export type NatsCredentials =
  | { readonly user: string; readonly password: string }
  | { readonly token: string }
  /** The content of a credentials file (JWT and seed). */
  | { readonly creds: Uint8Array };

export interface NatsBusOptions {
  /** One or more servers of one NATS cluster, `host:port`. */
  readonly servers: readonly string[];
  readonly credentials?: NatsCredentials;
  /** PEM. With an empty object the connection is encrypted, and the server's certificate is checked against known authorities. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Nodes of clusters with other names do not meet on the servers. */
  readonly cluster: string;
  /** The token of this node's incarnation. */
  readonly incarnation: string;
  readonly log: Logger;
}

const reconnectMs = 500;
/** A server that vanished without closing its connections is noticed after 15 s. */
const pingMs = 5_000;
const pings = 3;

const leaveMs = 1_000;

const senderHeader = 'Jackfield-From';
const failedHeader = 'Jackfield-Failed';

/**
 * The bus over NATS core. Connects in the background, and again after a loss: a node starts and serves its own calls without NATS.
 * While the connection is lost nothing is buffered, so no message arrives long after it was sent.
 */
export function createNatsBus(options: NatsBusOptions): Bus {
  const { incarnation } = options;
  const subjectOf = subjectsOf(options.cluster);
  const handlers = new Map<string, BusReceiver>();
  const sender = headers();
  sender.set(senderHeader, incarnation);
  const link = keepConnected(options, (connection) => {
    const receive = receiverOf(options, handlers, () => link.isConnected);
    for (const address of [incarnation, everyone])
      connection.subscribe(subjectOf(address, everyone), { callback: receive });
  });

  return {
    async ask(to, subject, body, deadlineMs) {
      if (body.length > longestBusMessage) throw tooLong(body);
      if (!link.isConnected) throw notConnected();
      try {
        const timing = { timeout: deadlineMs, headers: sender };
        const answer = await link.connection!.request(subjectOf(to, subject), body, timing);
        if (answer.headers?.has(failedHeader)) throw noAnswer('the other node could not answer');
        return answer.data;
      } catch (error) {
        throw explained(error);
      }
    },
    notify(to, subject, body) {
      if (body.length > longestBusMessage) throw tooLong(body);
      if (link.isConnected) link.connection!.publish(subjectOf(to, subject), body, { headers: sender });
    },
    serve(subject, handle) {
      if (handlers.has(subject)) throw new Error(`the subject '${subject}' already has a handler`);
      handlers.set(nameOf(subject), handle);
    },
    get isConnected() {
      return link.isConnected;
    },
    close: () => link.close(),
  };
}

/** The subjects of NATS in which nodes of this cluster are addressed. */
function subjectsOf(cluster: string): (to: string, subject: string) => string {
  const prefix = `jackfield.${nameOf(cluster)}`;
  return (to, subject) => `${prefix}.${to === everyone ? 'all' : `to-${nameOf(to)}`}.${nameOf(subject)}`;
}

/** Passes messages of NATS to the handlers of their subjects, and sends their answers. */
function receiverOf(
  { incarnation, log }: NatsBusOptions,
  handlers: ReadonlyMap<string, BusReceiver>,
  isConnected: () => boolean,
): (error: Error | null, message: Msg) => void {
  return (error, message) => {
    if (error !== null) {
      log.warn({ err: error }, 'receiving a message of another node failed');
      return;
    }
    const from = message.headers?.get(senderHeader) ?? '';
    const handle = handlers.get(message.subject.slice(message.subject.lastIndexOf('.') + 1));
    if (handle === undefined || from === incarnation) return;
    const failed = (err: unknown): void => {
      log.error({ err, from, subject: message.subject }, 'handling a message of another node failed');
      const failure = headers();
      failure.set(failedHeader, '1');
      if (isConnected()) message.respond(undefined, { headers: failure });
    };
    try {
      handle(message.data, from)
        ?.then((answer) => {
          if (answer.length > longestBusMessage) throw tooLong(answer);
          if (isConnected()) message.respond(answer);
        })
        .catch(failed);
    } catch (thrown) {
      failed(thrown);
    }
  };
}

interface Link {
  /** Undefined before the first connection. */
  readonly connection: NatsConnection | undefined;
  readonly isConnected: boolean;
  close(): Promise<void>;
}

/** Connects, and again after a loss, until it is closed; `subscribe` is called once for each new connection. */
function keepConnected(options: NatsBusOptions, subscribe: (connection: NatsConnection) => void): Link {
  const { log } = options;
  const retryPause = createPause();
  let connection: NatsConnection | undefined;
  let isConnected = false;
  let isClosed = false;

  async function follow(followed: NatsConnection): Promise<void> {
    for await (const { type } of followed.status()) {
      if (type === 'reconnect') {
        // Lost again before the server had the subscriptions: it reconnects once more.
        if (!(await isFlushed(followed))) continue;
        isConnected = true;
        log.info({}, 'connected to NATS again');
      } else if (type === 'disconnect' || type === 'close') {
        if (isConnected && !isClosed)
          log.warn({}, 'connection to NATS lost; this node continues without other nodes');
        isConnected = false;
      }
    }
  }

  async function connectAtLast(): Promise<void> {
    while (!isClosed) {
      let made: NatsConnection | undefined;
      try {
        made = await connect(connectionOptions(options));
        if (isClosed) return await made.close();
        connection = made;
        subscribe(made);
        // The server has the subscriptions: from now on messages reach this node.
        await made.flush();
        isConnected = true;
        log.info({}, 'connected to NATS');
        return await follow(made);
      } catch (err) {
        log.warn({ err }, 'connecting to NATS failed; will retry');
        // It would reconnect by itself, beside the next one.
        await made?.close();
        await retryPause.wait(reconnectMs);
      }
    }
  }

  const following = connectAtLast();
  return {
    get connection() {
      return connection;
    },
    get isConnected() {
      return isConnected;
    },
    async close() {
      isClosed = true;
      retryPause.end();
      if (isConnected) await leave(connection!);
      isConnected = false;
      await connection?.close();
      await following;
    },
  };
}

/** Whether the server has all that was sent. */
function isFlushed(connection: NatsConnection): Promise<boolean> {
  return connection.flush().then(
    () => true,
    () => false,
  );
}

/** Closes the connection, so that the server refuses requests to this node at once. Does not wait for a server that does not answer. */
async function leave(connection: NatsConnection): Promise<void> {
  const limit = createPause();
  await Promise.race([connection.drain().catch(() => {}), limit.wait(leaveMs)]);
  limit.end();
}

function connectionOptions({ servers, credentials, tls, incarnation }: NatsBusOptions) {
  return {
    servers: [...servers],
    name: `jackfield ${incarnation}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectMs,
    pingInterval: pingMs,
    maxPingOut: pings,
    ignoreAuthErrorAbort: true,
    ...(tls === undefined ? {} : { tls: { ...tls, checkServerIdentity: identityCheckOf(servers) } }),
    ...authenticationOf(credentials),
  };
}

/**
 * The client library gives no host to the TLS connection to a server that is an address, and Node then compares the certificate with
 * 'localhost'. Such a certificate has to name one of the configured addresses instead.
 */
function identityCheckOf(servers: readonly string[]) {
  const hosts = servers.map((server) => new URL(`tls://${server}`).hostname.replace(/^\[|\]$/g, ''));
  const known = hosts.filter((host) => isIP(host) !== 0 || host === 'localhost');
  return (host: string, certificate: PeerCertificate): Error | undefined => {
    if (host !== 'localhost' || known.length === 0) return checkServerIdentity(host, certificate);
    const refusals = known.map((each) => checkServerIdentity(each, certificate));
    return refusals.includes(undefined) ? undefined : refusals[0];
  };
}

function authenticationOf(credentials: NatsCredentials | undefined): object {
  if (credentials === undefined) return {};
  if ('creds' in credentials) return { authenticator: credsAuthenticator(credentials.creds) };
  if ('token' in credentials) return { token: credentials.token };
  return { user: credentials.user, pass: credentials.password };
}

/** A part of a NATS subject; `*` means any. */
function nameOf(part: string): string {
  if (part === everyone || /^[A-Za-z0-9-]+$/.test(part)) return part;
  throw new RangeError(`'${part}' is not a name on the bus: letters, digits and hyphens are allowed`);
}

function tooLong({ length }: Uint8Array): BusError {
  return new BusError(
    'bus-too-long',
    `a message of ${length} bytes is not sent: at most ${longestBusMessage} are allowed`,
  );
}

function noReceiver(reason: string, cause?: unknown): BusError {
  return new BusError('bus-no-receiver', `the request reached no node: ${reason}`, cause);
}

function notConnected(): BusError {
  return new BusError('bus-not-connected', 'the request was not sent: there is no connection to NATS');
}

function noAnswer(reason: string, cause?: unknown): BusError {
  return new BusError('bus-no-answer', `no answer, the request may have been carried out: ${reason}`, cause);
}

function explained(error: unknown): BusError {
  if (error instanceof BusError) return error;
  for (let each = error; each instanceof Error; each = each.cause)
    if (each instanceof errors.NoRespondersError)
      return noReceiver('the addressed node is not connected', error);
  return noAnswer(error instanceof Error ? error.message : String(error), error);
}

/** A pause that the end of the bus interrupts. */
function createPause() {
  let end = (): void => {};
  return {
    wait: (ms: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    end: () => end(),
  };
}
