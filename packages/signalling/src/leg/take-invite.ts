import type { AnswerFields, IncomingInvite } from '@jackfield/sip';
import type { Admission, Admitted } from '../admission/admission.ts';
import type { CallSlots } from '../defence/call-slots.ts';
import { calleeMeantBy } from '../parties/parties.ts';
import type { Gruus } from '../registrar/gruus.ts';
import { callerNames } from '../registrar/phone-names.ts';
import { isAnswerable, isDescription, sdpType } from './leg-audio.ts';
import type { OfferedLeg } from './leg-state.ts';
import type { NewLegs } from './new-legs.ts';
import type { Transfers } from './transfers.ts';

export interface TakeInviteDeps {
  readonly admission: Admission;
  readonly domains: readonly string[];
  /** URIs of single phones that may be called. */
  readonly gruus?: Gruus;
  /** Limits the number of incoming calls; no limit when absent. */
  readonly slots?: CallSlots;
  readonly newLegs: Pick<NewLegs, 'offered'>;
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
  // A drain may have begun during the credential lookup.
  incoming.identify(await callerNames(request, admitted, deps.gruus));
  if (isRefusedAsClosed(deps, incoming)) return undefined;
  if (callee === undefined) return refuse(incoming, 404);
  if (!isDescription(request)) return refuse(incoming, 415, { headers: [['Accept', sdpType]] });
  const isExternal = admitted.external !== undefined;
  const state = deps.newLegs.offered(incoming, isExternal);
  const { srtp, webrtc } = state.audio;
  if (!isAnswerable(state.offer, srtp, webrtc)) return refuse(incoming, 488);
  const replaced = deps.transfers.replacedBy(request);
  if (replaced !== undefined && 'refusal' in replaced) return refuse(incoming, replaced.refusal);
  const release = deps.slots?.take(sourceAddress, admitted.account, isExternal);
  if (deps.slots !== undefined && release === undefined) return refuse(incoming, 503, noSlot);
  return { admitted, callee, replaces: replaced?.leg, state, release };
}

function isRefusedAsClosed({ closedBecause }: TakeInviteDeps, incoming: IncomingInvite): boolean {
  const closed = closedBecause();
  if (closed !== undefined) incoming.reject(closed.status, closed.fields);
  return closed !== undefined;
}

function refuse(incoming: IncomingInvite, status: number, fields?: AnswerFields): undefined {
  incoming.reject(status, fields);
}
