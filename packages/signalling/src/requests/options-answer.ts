import type { Logger, Registrations } from '@jackfield/ports';
import {
  ALLOWED_METHODS,
  decodeUtf8,
  hostOfAddress,
  type IncomingRequest,
  parseSipUri,
  SUPPORTED_OPTIONS,
} from '@jackfield/sip';
import { isOurs } from '../parties/domains.ts';
import { faultAnswer } from './fault-answer.ts';

export interface OptionsAnswererDeps {
  /** Absent where no phone registers: every user exists then. */
  readonly registrations?: Pick<Registrations, 'credentialOf' | 'bindingsOf'>;
  readonly domains: readonly string[];
  readonly log: Logger;
  readonly isDraining: () => boolean;
  /** Whether a sender has authenticated on this flow. */
  readonly isKnown: (flow: string) => boolean;
}

/**
 * Answers OPTIONS outside of calls (RFC 3261 §11.2). A Request-URI without a user addresses the server: 200. With a user the answer is 404,
 * except for a phone that asks for its own registered user on the flow, or else from the source, of its registration. So the answer does not
 * reveal which users exist. The hosted browser SDK stays connected too: it pings an unknown user and accepts only 404.
 */
export function createOptionsAnswerer(deps: OptionsAnswererDeps): {
  answer(incoming: IncomingRequest): Promise<void>;
} {
  const { registrations, domains, log } = deps;

  async function isThere({ request, flow }: IncomingRequest): Promise<boolean> {
    const uri = parseSipUri(request.uri);
    if (uri?.user === undefined || registrations === undefined) return true;
    // Without a registration on this flow there is nothing to look up.
    if (!isOurs(uri.host, domains) || !deps.isKnown(flow.id)) return false;
    const credential = await registrations.credentialOf(decodeUtf8(uri.user));
    const bindings = credential === undefined ? [] : await registrations.bindingsOf(credential.endpoint);
    const source = `${hostOfAddress(flow.remoteAddress)}:${flow.remotePort}`;
    return bindings.some((each) => each.flow === flow.id || (each.flow === '' && each.source === source));
  }

  return {
    async answer(incoming) {
      const headers = [
        ['Allow', ALLOWED_METHODS] as const,
        ['Accept', 'application/sdp'] as const,
        ['Supported', SUPPORTED_OPTIONS] as const,
      ];
      try {
        if (!(await isThere(incoming))) incoming.reply(404);
        else incoming.reply(deps.isDraining() ? 503 : 200, { headers });
      } catch (error) {
        const { status, fields } = faultAnswer(error, 'OPTIONS user lookup', log);
        incoming.reply(status, fields);
      }
    },
  };
}
