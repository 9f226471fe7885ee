import { createRequire } from 'node:module';
import { acceptLocalUrls, type UrlChecks } from './accept-local-urls.ts';
import { type CreateRequest, requestsTo } from './requests-to.ts';

/** The versions of the SDK whose internals this package supports. */
const knownVersions = /^4\.79\./;

export interface PointOptions {
  /** The file or directory from which your program resolves the SDK, if it is another copy than this package's. */
  readonly from?: string | URL;
}

/**
 * The SDK's own functions, kept at the first call, so that a second call replaces the server and wraps nothing twice.
 */
const originals = new WeakMap<SdkModules['requests'], CreateRequest>();

interface SdkModules {
  readonly requests: { Axios: CreateRequest };
  readonly checks: UrlChecks;
}

/**
 * Points Plivo's Node SDK at a Jackfield. Every client created afterwards in this process sends its requests to
 * `server`, for example `http://127.0.0.1:8080`, and its pattern check accepts URLs of local hosts. A client with its
 * own `url` keeps it, for voice requests too. Throws for an unusable URL or an unsupported version of the SDK.
 */
export function pointPlivoSdkAt(server: string | URL, { from = import.meta.url }: PointOptions = {}): void {
  const base = baseOf(server);
  const { requests, checks } = modulesFrom(from);
  const original = originals.get(requests) ?? requests.Axios;
  if (!originals.has(requests)) acceptLocalUrls(checks);
  originals.set(requests, original);
  requests.Axios = requestsTo(base, original);
}

function baseOf(server: string | URL): string {
  const allowed = 'allowed is the URL of a Jackfield without query and user, such as http://127.0.0.1:8080';
  if (!URL.canParse(String(server))) throw new TypeError(`server: '${server}' is not a URL; ${allowed}`);
  const { protocol, origin, pathname, search, hash, username } = new URL(server);
  if (!/^https?:$/.test(protocol) || `${search}${hash}${username}` !== '' || /\/v1(\/|$)/.test(pathname)) {
    throw new TypeError(`server: ${server} is not the URL of a server; ${allowed}`);
  }
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

function modulesFrom(from: string | URL): SdkModules {
  const require = createRequire(from);
  const { version } = require('plivo/package.json') as { readonly version: string };
  if (!knownVersions.test(version)) {
    throw new Error(
      `plivo ${version}: this version may send requests to hosts that @jackfield/hosted-sdk does not know; allowed is 4.79`,
    );
  }
  return {
    requests: require('plivo/dist/rest/axios.js') as SdkModules['requests'],
    checks: require('plivo/dist/rest/utils.js') as UrlChecks,
  };
}
