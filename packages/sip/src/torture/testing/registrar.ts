import type { DigestServer } from '../../auth/digest-server.ts';
import { parseCSeq } from '../../message/cseq.ts';
import type { SipRequest } from '../../message/message.ts';
import type { Binding } from '../../registration/binding.ts';
import { decideRegistration } from '../../registration/decide-registration.ts';
import type { LinkEnd } from '../../user-agent/testing/memory-link.ts';
import type { IncomingRequest } from '../../user-agent/user-agent-options.ts';

/** A registrar of one address of record, made of the stack's own parts. */
export interface Registrar {
  bindings(): readonly Binding[];
  /** Makes this end the registrar. */
  serve(end: LinkEnd): void;
}

/** A registrar without users: it accepts every REGISTER, or with a digest server none. */
export function createRegistrar(digest?: DigestServer): Registrar {
  let bindings: readonly Binding[] = [];

  function register({ request, flow, reply }: IncomingRequest): void {
    if (digest?.claim(request).kind === 'malformed') reply(400);
    else if (digest) {
      const challenges = digest.challenge(0, flow.remoteAddress, false);
      reply(401, { headers: challenges.map((value) => ['WWW-Authenticate', value] as const) });
    } else bind(request, flow.id, reply);
  }

  function bind({ headers }: SipRequest, flow: string, reply: IncomingRequest['reply']): void {
    const requested = {
      contacts: headers.all('Contact'),
      expiresHeader: headers.get('Expires'),
      callId: headers.get('Call-ID') ?? '',
      cseq: parseCSeq(headers.get('CSeq') ?? '')?.seq ?? 0,
      userAgent: '',
      flow,
    };
    const decision = decideRegistration(requested, bindings, 0);
    if (decision.status === 200) {
      bindings = decision.bindings;
      reply(200, { headers: decision.contactHeaders.map((value) => ['Contact', value] as const) });
    } else reply(decision.status);
  }

  return {
    bindings: () => bindings,
    serve(end) {
      end.onRequest = register;
    },
  };
}
