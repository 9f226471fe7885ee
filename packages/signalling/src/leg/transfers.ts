import type { DialTarget, TransferRequest } from '@jackfield/ports';
import {
  type Call,
  type DialogName,
  paramOf,
  parseNameAddr,
  parseReplaces,
  parseSipUri,
  type SipRequest,
} from '@jackfield/sip';
import { refusedToken } from '../admission/token-admission.ts';
import { calleeMeantBy } from '../parties/parties.ts';
import type { Gruus } from '../registrar/gruus.ts';

/** Transfers that phones ask for: REFER within a call (RFC 3515), and Replaces, which names another one (RFC 3891). */
export interface Transfers {
  /** Whoever carries transfers out; true takes a request, and until somebody listens all are declined. */
  listen(listener: (request: TransferRequest) => boolean): void;
  /** `targets` are those of a call of ours. */
  began(leg: string, call: Call, targets?: readonly DialTarget[]): void;
  ended(call: Call): void;
  /** Answers a REFER of the phone behind this leg; rejects where a database is gone. */
  referred(leg: string, call: Call, request: SipRequest): Promise<void>;
  /** The leg that an INVITE is to take over, or the status that refuses it; undefined when it is an ordinary call. */
  replacedBy(invite: SipRequest): { readonly leg: string } | { readonly refusal: number } | undefined;
}

interface KnownCall {
  readonly leg: string;
  readonly call: Call;
  readonly targets: readonly DialTarget[];
}

export interface TransfersDeps {
  /** SIP domains that are ours, lower case. */
  readonly domains: readonly string[];
  readonly gruus?: Gruus;
  /** Whether a leg of these calls is answered. */
  readonly isAnswered: (leg: string) => boolean;
}

/** Transfers among the calls of one edge. */
export function createTransfers({ domains, gruus, isAnswered }: TransfersDeps): Transfers {
  /** By Call-ID; several have the same one where proxies have led a request of ours back to us. */
  const calls = new Map<string, readonly KnownCall[]>();
  let take: ((request: TransferRequest) => boolean) | undefined;

  function find({ callId, toTag, fromTag }: { callId: string; toTag: string; fromTag: string }) {
    const name: DialogName = { callId, localTag: toTag, remoteTag: fromTag };
    return calls.get(callId)?.find(({ call }) => call.isDialog(name));
  }

  function knownOf(call: Call): KnownCall | undefined {
    return calls.get(call.callId)?.find((each) => each.call === call);
  }

  /** Whether the phone at the other end of a call may have anybody called: one that called us has shown that it may. */
  function mayCall(call: Call): boolean {
    const { targets = [] } = knownOf(call) ?? {};
    const target = call.answeredBy === undefined ? undefined : targets[call.answeredBy];
    const phones = target === undefined ? targets : [target, ...(target.otherFlows ?? [])];
    return phones.every((phone) => phone.mayCall !== false);
  }

  /** What a REFER asks for, or the status that refuses it. */
  async function read(leg: string, { headers }: SipRequest): Promise<TransferRequest | number> {
    const target = parseNameAddr(headers.get('Refer-To') ?? '')?.uri ?? '';
    const uri = parseSipUri(target);
    const method = uri && paramOf(uri.params, 'method');
    if (method !== undefined && method.toUpperCase() !== 'INVITE') return 603;
    const to = await calleeMeantBy(target, { domains, ...(gruus && { gruus }) });
    const referredBy = parseSipUri(parseNameAddr(headers.get('Referred-By') ?? '')?.uri ?? '')?.user;
    const request = { leg, to: to ?? '', ...(referredBy !== undefined && { referredBy }) };
    const value = uri && paramOf(uri.headers, 'replaces');
    // Only calls to places of ours are placed for anybody (RFC 3515 §4.1).
    if (value === undefined) return to === undefined ? 603 : request;
    // The dialog says who is meant; the URI is whatever our Contact was there.
    const replaces = parseReplaces(value);
    const known = replaces && find(replaces);
    // The call that the other one shall replace is not ours, or over.
    return known ? { ...request, replaces: known.leg } : 603;
  }

  return {
    listen(listener) {
      take = listener;
    },
    began(leg, call, targets = []) {
      const others = calls.get(call.callId) ?? [];
      calls.set(call.callId, [...others, { leg, call, targets }]);
    },
    ended(call) {
      const others = calls.get(call.callId)?.filter((each) => each.call !== call) ?? [];
      if (others.length === 0) calls.delete(call.callId);
      else calls.set(call.callId, others);
    },
    async referred(leg, call, request) {
      const asked = await read(leg, request);
      if (typeof asked === 'number') call.refuseReferral(asked);
      else if (asked.replaces === undefined && !mayCall(call)) refuseByToken(call);
      else if (take?.(asked)) call.acceptReferral();
      else call.refuseReferral();
    },
    replacedBy({ headers }) {
      if (!headers.has('Replaces')) return undefined;
      const values = headers.all('Replaces');
      const replaces = values.length === 1 ? parseReplaces(values[0] ?? '') : undefined;
      // RFC 3891 §3: several, or one that cannot be read, or one beside Join.
      if (!replaces || headers.has('Join')) return { refusal: 400 };
      const known = find(replaces);
      // RFC 3891 §3: no such dialog, or an early one that the phone itself began.
      if (known === undefined || !isAnswered(known.leg)) return { refusal: 481 };
      // RFC 3891 §3: 486 for who wants an early dialog alone.
      if (replaces.earlyOnly) return { refusal: 486 };
      return take === undefined ? { refusal: 603 } : { leg: known.leg };
    },
  };
}

/** docs/interface/client-tokens.md#on-sip: the answer that an INVITE of the phone would get. */
function refuseByToken(call: Call): void {
  const { status, headers } = refusedToken('grants');
  call.refuseReferral(status, headers);
}
