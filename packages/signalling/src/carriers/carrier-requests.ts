import type { CarrierRequests, RegisterOutcome, Secrets } from '@jackfield/ports';
import {
  hostOfAddress,
  paramOf,
  parseDeltaSeconds,
  parseNameAddr,
  parseSipUri,
  type RequestOutcome,
  type SipResponse,
  sameUri,
  type UserAgent,
} from '@jackfield/sip';
import type { CarrierAccounts } from './carrier-accounts.ts';

export interface CarrierRequestsDeps {
  readonly request: UserAgent['request'];
  readonly accounts: CarrierAccounts;
  /** Our address in Contact, for the transport that a URI names. */
  readonly addressFor: (uri: string) => { readonly host: string; readonly port: number };
  readonly domain: string;
  readonly secrets: Pick<Secrets, 'randomUuid'>;
}

/** REGISTER and OPTIONS to carriers. Requests to one registrar share a Call-ID and increase CSeq (RFC 3261 §10.2). */
export function createCarrierRequests(deps: CarrierRequestsDeps): CarrierRequests {
  const sequences = new Map<string, { readonly callId: string; cseq: number }>();

  return {
    register({ carrier, registrar, aor, expiresSeconds }, done) {
      const sequence = sequences.get(carrier) ?? { callId: deps.secrets.randomUuid(), cseq: 0 };
      sequences.set(carrier, sequence);
      sequence.cseq += 1;
      const contact = contactFor(registrar, aor);
      const credentials = deps.accounts(carrier);
      deps.request(
        {
          method: 'REGISTER',
          uri: registrar,
          from: `<${aor}>`,
          to: `<${aor}>`,
          callId: sequence.callId,
          cseq: sequence.cseq,
          headers: [
            ['Contact', `<${contact}>`],
            ['Expires', String(expiresSeconds)],
          ],
          ...(credentials === undefined ? {} : { credentials }),
        },
        (outcome) => {
          if (outcome.type === 'response') sequence.cseq = Math.max(sequence.cseq, outcome.cseq);
          done(registerOutcome(outcome, contact, expiresSeconds));
        },
      );
    },
    probe(uri, done) {
      const from = `<sip:ping@${hostOfAddress(deps.domain)}>`;
      deps.request({ method: 'OPTIONS', uri, from, to: `<${uri}>` }, (outcome) =>
        done(outcome.type === 'response' ? outcome.response.status : undefined),
      );
    },
  };

  /** Our Contact has a user, for proxies that route by the Request-URI. */
  function contactFor(registrar: string, aor: string): string {
    const { host, port } = deps.addressFor(registrar);
    const user = parseSipUri(aor)?.user ?? 'jackfield';
    const transport = paramOf(parseSipUri(registrar)?.params ?? [], 'transport');
    const at = `sip:${user}@${hostOfAddress(host)}:${port}`;
    return transport === undefined ? at : `${at};transport=${transport}`;
  }
}

function registerOutcome(
  outcome: RequestOutcome,
  contact: string,
  requestedSeconds: number,
): RegisterOutcome {
  if (outcome.type === 'failed') return { type: 'unanswered' };
  const { response } = outcome;
  const { status } = response;
  if (status >= 200 && status < 300) {
    return { type: 'registered', expiresSeconds: grantedSeconds(response, contact) ?? requestedSeconds };
  }
  const minExpires = parseDeltaSeconds(response.headers.get('Min-Expires') ?? '');
  return {
    type: 'refused',
    status,
    ...(minExpires === undefined ? {} : { minExpiresSeconds: minExpires }),
  };
}

/** RFC 3261 §10.2.4: the expires of our own Contact, else the Expires header. */
function grantedSeconds({ headers }: SipResponse, contact: string): number | undefined {
  const own = headers
    .all('Contact')
    .map((value) => parseNameAddr(value))
    .find((each) => each !== undefined && sameUri(each.uri, contact));
  const text = (own && paramOf(own.params, 'expires')) ?? headers.get('Expires');
  const seconds = text === undefined ? undefined : parseDeltaSeconds(text);
  return seconds === 0 ? undefined : seconds;
}
