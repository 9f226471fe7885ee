import type { AccountCredentials } from '@jackfield/platform';

export interface BannerFacts {
  readonly http: { readonly host: string; readonly port: number; readonly isHttps?: boolean };
  readonly sip: { readonly host: string; readonly port: number };
  /** SIP over TLS. */
  readonly sips?: { readonly port: number };
  readonly account: AccountCredentials;
  /** The file with the token. Shown in place of the token where the output is not a terminal: it may be a stored log. */
  readonly tokenFile?: string;
  readonly domain: string;
  /** Logs in to the console once; absent where no console is served, and where the output may be a stored log. */
  readonly consoleToken?: string;
}

/** The text for developers after `npm start`: all addresses, and lines to paste. */
export function banner({ http, sip, sips, account, tokenFile, domain, consoleToken }: BannerFacts): string {
  const base = `${http.isHttps === true ? 'https' : 'http'}://${hostInUrl(http.host)}:${http.port}`;
  const { authId } = account;
  const shownToken = tokenFile === undefined ? account.authToken : `in the file ${tokenFile}`;
  const password = tokenFile === undefined ? account.authToken : `"$(cat '${tokenFile}')"`;
  const post = `curl -u $AUTH -H 'Content-Type: application/json' $JACKFIELD`;
  return `
Jackfield is ready: the sandbox${isLoopback(http.host) && isLoopback(sip.host) ? ', on this machine alone' : ', open to the network'}.

${consoleToken === undefined ? '' : `  Console     ${base}/console/#login=${consoleToken} (logs in once)\n`}  API         ${base}/v1/Account/${authId}/
  Reference   ${base}/docs
  SIP         ${hostInUrl(sip.host)}:${sip.port} (UDP and TCP)${sips === undefined ? '' : `, ${sips.port} (TLS)`}, domain ${domain}
  WebSocket   ${base.replace(/^http/, 'ws')}/sip
  auth_id     ${authId}
  auth_token  ${shownToken}

Paste into another terminal:

  export JACKFIELD=${base}/v1/Account/${authId} AUTH=${authId}:${password}

An endpoint for your softphone:

  ${post}/Endpoint/ -d '{"username":"alice","password":"a-good-password","alias":"alice"}'

A multiparty call with two phones of the sandbox, one talks and one echoes:

  ${post}/MultiPartyCall/name_demo/Participant/ -d '{"role":"agent","from":"+12025550000","to":"+12025550101"}'
  ${post}/MultiPartyCall/name_demo/Participant/ -d '{"role":"customer","from":"+12025550000","to":"+12025550100"}'

Who hears whom, now:

  curl -u $AUTH $JACKFIELD/MultiPartyCall/name_demo/Hearing/

Ctrl-C ends it.
`;
}

/** The text that an operator sees once: the token is stored encrypted, and no later start shows it. */
export function firstAccountNotice({ authId, authToken }: AccountCredentials): string {
  return `
The first account was made by this start. Its token is shown this once, on this terminal alone:

  auth_id     ${authId}
  auth_token  ${authToken}

JACKFIELD_AUTH_ID and JACKFIELD_AUTH_TOKEN choose them instead.
`;
}

function isLoopback(host: string): boolean {
  return host === '::1' || host.startsWith('127.');
}

function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
