import type { DialTarget, SignallingTrace, TransferRequest } from '@jackfield/ports';
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
import { calleeMeantBy, partyOfUri } from '../parties/parties.ts';
import type { Gruus } from '../registrar/gruus.ts';

/** Transfers that phones request: REFER within a call (RFC 3515), and Replaces, which names another call (RFC 3891). */
export interface Transfers {
  /** Registers the listener that carries transfers out; it returns true to accept. Without a listener every transfer is declined. */
  listen(listener: TransferListener): void;
  /** The leg of the dialog that a Replaces value names. */
  legOf(dialog: string): string | undefined;
  /** `targets` are those of an outgoing call. */
  began(leg: string, call: Call, targets?: readonly DialTarget[]): void;
  ended(call: Call): void;
  /** Answers a REFER of the phone behind this leg; rejects when a database is unreachable. */
  referred(leg: string, call: Call, request: SipRequest): Promise<void>;
  /** The leg that an INVITE replaces, or the status that refuses it; undefined for an ordinary call. */
  replacedBy(invite: SipRequest): { readonly leg: string } | { readonly refusal: number } | undefined;
}

type TransferListener = (request: TransferRequest) => boolean | Promise<boolean>;

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
  /** The other node whose dialogs have this tag, while it runs. Absent without other nodes. */
  readonly nodeOf?: (tag: string) => string | undefined;
  /** Notified of the Call-ID of each leg. */
  readonly trace?: Pick<SignallingTrace, 'belongs'>;
}

/** Transfers among the calls of one edge. */
export function createTransfers({ domains, gruus, isAnswered, nodeOf, trace }: TransfersDeps): Transfers {
  /** By Call-ID; several calls share one where proxies have sent our request back to us. */
  const calls = new Map<string, readonly KnownCall[]>();
  let take: TransferListener | undefined;

  function find({ callId, toTag, fromTag }: { callId: string; toTag: string; fromTag: string }) {
    const name: DialogName = { callId, localTag: toTag, remoteTag: fromTag };
    return calls.get(callId)?.find(({ call }) => call.isDialog(name));
  }

  function knownOf(call: Call): KnownCall | undefined {
    return calls.get(call.callId)?.find((each) => each.call === call);
  }

  /** Whether the phone at the other end may start calls: a phone that called us has proved that it may. */
  function mayCall(call: Call): boolean {
    const { targets = [] } = knownOf(call) ?? {};
    const target = call.answeredBy === undefined ? undefined : targets[call.answeredBy];
    const phones = target === undefined ? targets : [target, ...(target.otherFlows ?? [])];
    return phones.every((phone) => phone.mayCall !== false);
  }

  /** The transfer that a REFER requests, or the status that refuses it. */
  async function read(leg: string, { headers }: SipRequest): Promise<TransferRequest | number> {
    const target = parseNameAddr(headers.get('Refer-To') ?? '')?.uri ?? '';
    const uri = parseSipUri(target);
    const method = uri && paramOf(uri.params, 'method');
    if (method !== undefined && method.toUpperCase() !== 'INVITE') return 603;
    const to = await calleeMeantBy(target, { domains, ...(gruus && { gruus }) });
    const referredBy = partyOfUri(parseNameAddr(headers.get('Referred-By') ?? '')?.uri ?? '');
    const request = { leg, to: to ?? '', ...(referredBy !== undefined && { referredBy }) };
    const value = uri && paramOf(uri.headers, 'replaces');
    // Only calls to our own targets are placed on request (RFC 3515 §4.1).
    if (value === undefined) return to === undefined ? 603 : request;
    // The dialog identifies the party; the URI is only our Contact there.
    const replaces = parseReplaces(value);
    const known = replaces && find(replaces);
    if (known) return { ...request, replaces: known.leg };
    const node = replaces && nodeOf?.(replaces.toTag);
    // The call to be replaced is not ours, or has ended.
    return node === undefined ? 603 : { ...request, replacesAt: { node, dialog: value } };
  }

  return {
    listen(listener) {
      take = listener;
    },
    began(leg, call, targets = []) {
      trace?.belongs(call.callId, leg);
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
      else if (isBlind(asked) && !mayCall(call)) refuseByToken(call);
      else {
        const taken = take?.(asked) ?? false;
        // Accepted at once where that is known at once: the outcome follows.
        if (typeof taken === 'boolean' ? taken : await taken) call.acceptReferral();
        else call.refuseReferral();
      }
    },
    legOf(dialog) {
      const named = parseReplaces(dialog);
      return named && find(named)?.leg;
    },
    replacedBy({ headers }) {
      if (!headers.has('Replaces')) return undefined;
      const values = headers.all('Replaces');
      const replaces = values.length === 1 ? parseReplaces(values[0] ?? '') : undefined;
      // RFC 3891 §3: several Replaces, an invalid one, or one beside Join.
      if (!replaces || headers.has('Join')) return { refusal: 400 };
      const known = find(replaces);
      // RFC 3891 §3: an unknown dialog, or an early dialog that the phone itself began.
      if (known === undefined || !isAnswered(known.leg)) return { refusal: 481 };
      // RFC 3891 §3: 486 for a request that names early dialogs only.
      if (replaces.earlyOnly) return { refusal: 486 };
      return take === undefined ? { refusal: 603 } : { leg: known.leg };
    },
  };
}

/** Without another call of the phone. */
function isBlind({ replaces, replacesAt }: TransferRequest): boolean {
  return replaces === undefined && replacesAt === undefined;
}

/** docs/interface/client-tokens.md#on-sip: the same answer as to an INVITE of the phone. */
function refuseByToken(call: Call): void {
  const { status, headers } = refusedToken('grants');
  call.refuseReferral(status, headers);
}
