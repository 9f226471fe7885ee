import { checkOptions } from './options.ts';
import { testEnvironment } from './test-environment.ts';
import { TestingError } from './testing-error.ts';

/** A server that runs, such as `jackfield dev`, and its first account. */
export interface ServerOptions {
  /** Of its HTTP interface, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly authId: string;
  readonly authToken: string;
  /** Address and port of its SIP over UDP; the host of `url` and 5060 when absent. */
  readonly sip?: string;
  /** The address of this machine for the server; found by its route when absent. */
  readonly host?: string;
}

export interface ServerAt {
  readonly url: string;
  readonly authId: string;
  readonly authToken: string;
  readonly sip: { readonly host: string; readonly port: number };
  readonly host: string | undefined;
}

const example = 'http://<auth_id>:<auth_token>@127.0.0.1:8080';
const hostAndPort = /^(\[[0-9a-f:]+\]|[^:@\s/]+)(?::(\d{1,5}))?$/i;

/** The server of the options, else of JACKFIELD_TEST_SERVER; undefined for a world of its own. */
export function serverOf(given: ServerOptions | undefined): ServerAt | undefined {
  if (given !== undefined) {
    checkOptions(given, ['url', 'authId', 'authToken', 'sip', 'host'], 'the server');
    return read({ ...given, names: { url: 'server.url', sip: 'server.sip' } });
  }
  const { JACKFIELD_TEST_SERVER: text = '', JACKFIELD_TEST_SIP, JACKFIELD_TEST_HOST } = testEnvironment();
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username === '' || url.password === '') {
    throw new TestingError(
      'bad-option',
      `JACKFIELD_TEST_SERVER has no URL with a user and a password: use the first account of the server, ${example}.`,
    );
  }
  return read({
    url: url.origin,
    authId: decodeURIComponent(url.username),
    authToken: decodeURIComponent(url.password),
    names: { url: 'JACKFIELD_TEST_SERVER', sip: 'JACKFIELD_TEST_SIP' },
    ...(JACKFIELD_TEST_SIP ? { sip: JACKFIELD_TEST_SIP } : {}),
    ...(JACKFIELD_TEST_HOST ? { host: JACKFIELD_TEST_HOST } : {}),
  });
}

/** Why a test is skipped on a server, for the option `skip` of a test; false in a world of its own. */
export function skippedOnServer(reason: string): string | false {
  return testEnvironment().JACKFIELD_TEST_SERVER ? `on a server: ${reason}` : false;
}

function read(options: ServerOptions & { names: { url: string; sip: string } }): ServerAt {
  const { authId, authToken, host, names } = options;
  const url = URL.canParse(options.url) ? new URL(options.url) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TestingError(
      'bad-option',
      `${names.url} is ${JSON.stringify(options.url)}: use the URL of a server, such as "http://127.0.0.1:8080".`,
    );
  }
  const [, sipHost = '', port = '5060'] = hostAndPort.exec(options.sip ?? url.hostname) ?? [];
  if (sipHost === '' || Number(port) < 1 || Number(port) > 65_535) {
    throw new TestingError(
      'bad-option',
      `${names.sip} is ${JSON.stringify(options.sip)}: use the host and the port of the server's SIP, such as "127.0.0.1:5060".`,
    );
  }
  const sip = { host: sipHost.replace(/^\[|\]$/g, ''), port: Number(port) };
  return { url: url.origin, authId, authToken, sip, host };
}
