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
  return {
    type: 'leg-offered',
    leg,
    account: admitted.account,
    endpoint: admitted.endpoint,
    ...(admitted.trunk === undefined ? {} : { trunk: admitted.trunk }),
    ...(admitted.carrier === undefined ? {} : { carrier: admitted.carrier }),
    ...(replaces === undefined ? {} : { replaces }),
    ...(admitted.application === undefined ? {} : { application: admitted.application }),
    ...callerOf(request, admitted),
    to: callee,
    sourceAddress,
    headers: customHeadersOf(request),
  };
}
