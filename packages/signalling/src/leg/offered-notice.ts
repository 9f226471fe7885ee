import type { LegNotice } from '@jackfield/ports';
import type { IncomingInvite } from '@jackfield/sip';
import type { Admitted } from '../admission/admission.ts';
import { callerOf, customHeadersOf } from '../parties/parties.ts';

type OfferedLeg = Extract<LegNotice, { readonly type: 'leg-offered' }>;

/** The telephony port's notification of an admitted INVITE; `callee` is its destination, `replaces` the leg that it replaces. */
export function offeredNotice(
  leg: string,
  { request, sourceAddress }: Pick<IncomingInvite, 'request' | 'sourceAddress'>,
  admitted: Admitted,
  callee: string,
  replaces: string | undefined,
): OfferedLeg {
  const { trunk, carrier, application } = admitted;
  const notice: { -readonly [Key in keyof OfferedLeg]: OfferedLeg[Key] } = {
    ...callerOf(request, admitted),
    type: 'leg-offered',
    leg,
    account: admitted.account,
    endpoint: admitted.endpoint,
    to: callee,
    sourceAddress,
    headers: customHeadersOf(request),
  };
  if (trunk !== undefined) notice.trunk = trunk;
  if (carrier !== undefined) notice.carrier = carrier;
  if (replaces !== undefined) notice.replaces = replaces;
  if (application !== undefined) notice.application = application;
  return notice;
}
