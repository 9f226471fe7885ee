import type { AnswerFields, IncomingInvite } from '@jackfield/sip';
import type { Admission, Admitted } from '../admission/admission.ts';
import type { CallPlaces } from '../defence/call-places.ts';
import { calleeMeantBy } from '../parties/parties.ts';
import type { Gruus } from '../registrar/gruus.ts';
import { heardFrom, isAnswerable, isDescription, newLegAudio, sdpType } from './leg-audio.ts';
import { incomingSrtp, type LegSrtp, lacksKeys, newKeys, type SrtpPolicy, withKeys } from './leg-srtp.ts';
import type { OfferedLeg } from './leg-state.ts';
import { cameInPrivate, isOfBrowser, type ProtocolOf } from './private-signalling.ts';
import type { Transfers } from './transfers.ts';

export interface TakeInviteDeps {
  readonly admission: Admission;
  readonly domains: readonly string[];
  /** URIs of single phones that may be called. */
  readonly gruus?: Gruus;
  /** Limits the number of incoming calls; no limit when absent. */
  readonly places?: CallPlaces;
  readonly srtp: SrtpPolicy;
  readonly protocolOf: ProtocolOf;
  /** Unpredictable bytes for SRTP keys; absent without SRTP. */
  readonly randomBytes: ((count: number) => Uint8Array) | undefined;
  /** Address for SDP. */
  readonly mediaAddress: string;
  readonly newSessionId: () => string;
  readonly transfers: Pick<Transfers, 'replacedBy'>;
  /** Why new calls are refused now; undefined while calls are accepted. */
  readonly closedBecause: () => { readonly status: number; readonly fields: AnswerFields } | undefined;
}

/** An INVITE that may become a leg. */
export interface TakenInvite {
  readonly admitted: Admitted;
  readonly callee: string;
  /** The leg that the call replaces (RFC 3891). */
  readonly replaces: string | undefined;
  readonly state: OfferedLeg;
  readonly release: (() => void) | undefined;
}

/** A slot may become free soon. */
const noSlot: AnswerFields = { headers: [['Retry-After', '10']] };

/** Decides about an INVITE outside of any dialog: refuses it and returns undefined, or returns the start values of its leg. */
export async function takeInvite(
  deps: TakeInviteDeps,
  incoming: IncomingInvite,
): Promise<TakenInvite | undefined> {
  if (isRefusedAsClosed(deps, incoming)) return undefined;
  const { request, sourceAddress, flow } = incoming;
  const admitted = await deps.admission.admit(request, sourceAddress, flow);
  if (!admitted.ok) return refuse(incoming, admitted.status, { headers: admitted.headers });
  incoming.trust();
  const callee = admitted.callee ?? (await calleeMeantBy(request.uri, deps, admitted.trunk !== undefined));
  // A drain may have begun during the credential look-up.
  if (isRefusedAsClosed(deps, incoming)) return undefined;
  if (callee === undefined) return refuse(incoming, 404);
  if (!isDescription(request)) return refuse(incoming, 415, { headers: [['Accept', sdpType]] });
  const srtp = srtpOf(deps, incoming);
  if (!isAnswerable(request.body, srtp)) return refuse(incoming, 488);
  const replaced = deps.transfers.replacedBy(request);
  if (replaced !== undefined && 'refusal' in replaced) return refuse(incoming, replaced.refusal);
  const isExternal = admitted.external !== undefined;
  const release = deps.places?.take(sourceAddress, admitted.account, isExternal);
  if (deps.places !== undefined && release === undefined) return refuse(incoming, 503, noSlot);
  const state = offeredLeg(deps, incoming, srtp, isExternal);
  return { admitted, callee, replaces: replaced?.leg, state, release };
}

/** SRTP of the new leg, with its keys: whether the offer can be answered depends on them. */
function srtpOf(
  { srtp: policy, protocolOf, randomBytes }: TakeInviteDeps,
  incoming: IncomingInvite,
): LegSrtp {
  const srtp = incomingSrtp(policy, policy !== 'off' && cameInPrivate(incoming, protocolOf));
  return randomBytes !== undefined && lacksKeys(srtp) ? withKeys(srtp, newKeys(randomBytes)) : srtp;
}

function offeredLeg(
  deps: TakeInviteDeps,
  { request, flow, sourceAddress, takesReliable }: IncomingInvite,
  srtp: LegSrtp,
  isExternal: boolean,
): OfferedLeg {
  const audio = newLegAudio({
    address: deps.mediaAddress,
    sessionId: deps.newSessionId(),
    srtp,
    describesEvents: !isOfBrowser(flow, deps.protocolOf),
    ...(isExternal ? { onlyTo: sourceAddress } : {}),
  });
  return {
    phase: 'offered',
    audio: heardFrom(audio, request),
    offer: request.body,
    takesReliable,
    isExternal,
    port: 'closed',
    requested: 'nothing',
  };
}

function isRefusedAsClosed({ closedBecause }: TakeInviteDeps, incoming: IncomingInvite): boolean {
  const closed = closedBecause();
  if (closed !== undefined) incoming.reject(closed.status, closed.fields);
  return closed !== undefined;
}

function refuse(incoming: IncomingInvite, status: number, fields?: AnswerFields): undefined {
  incoming.reject(status, fields);
}
