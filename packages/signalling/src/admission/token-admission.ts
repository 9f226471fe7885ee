import { type ClientTokens, type TokenRefusal, tokenRefusals } from '@jackfield/ports';
import { decodeUtf8, parseSipUri, type SipRequest } from '@jackfield/sip';
import type { Admission, Admitted, Refused } from './admission.ts';

/** docs/interface/client-tokens.md#on-sip: the header with a client's token, and with the reason of a refusal. */
const tokenHeader = 'X-Plivo-Jwt';
const errorHeader = 'X-Plivo-Jwt-Error-Code';

export interface TokenAdmissionDeps {
  readonly tokens: ClientTokens;
  /** Decides about requests without a token. */
  readonly otherwise: Admission;
}

/** Admits clients with a token in place of a password, on REGISTER and INVITE alike. */
export function createTokenAdmission({ tokens, otherwise }: TokenAdmissionDeps): Admission {
  async function admitWith(token: string, request: SipRequest): Promise<Admitted | Refused> {
    const user = userOf(request, 'From');
    const client = await tokens.admit(token.trim(), user);
    if (client.refusedWith !== undefined) return refusedToken(client.refusedWith);
    if (request.method === 'INVITE' && !client.mayCall) return refusedToken('grants');
    // RFC 3261 §10.3 step 4: a client registers only itself.
    if (request.method === 'REGISTER' && userOf(request, 'To') !== user) return refusedToken('subject');
    const { account, endpoint, application, expiresAt, mayReceive, mayCall } = client;
    return {
      ok: true,
      account,
      endpoint,
      user: client.user,
      ...(application === undefined ? {} : { application }),
      token: { expiresAt, mayReceive, mayCall },
    };
  }

  return {
    admit(request, source, flow) {
      const token = request.headers.get(tokenHeader);
      return token === undefined ? otherwise.admit(request, source, flow) : admitWith(token, request);
    },
  };
}

/** docs/interface/client-tokens.md#on-sip: no challenge, because no password would help. */
export function refusedToken(why: TokenRefusal): Refused {
  return { ok: false, status: 401, headers: [[errorHeader, String(tokenRefusals[why])]] };
}

/** The header with the lifetime of the token; the client reads from `=` to the first semicolon. */
export function tokenExpiry(expiresAt: number): readonly [name: string, value: string] {
  return [tokenHeader, `exp=${Math.floor(expiresAt / 1000)};`];
}

function userOf(request: SipRequest, header: 'From' | 'To'): string {
  const address = request.headers.address(header);
  return decodeUtf8((address && parseSipUri(address.uri)?.user) ?? '');
}
