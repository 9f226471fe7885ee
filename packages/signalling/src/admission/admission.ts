import type { Promised } from '@jackfield/ports';
import type { SipRequest } from '@jackfield/sip';

/** The sender of a request, as far as it was authenticated. */
export interface Admitted {
  readonly ok: true;
  readonly account: string;
  readonly endpoint: string;
  /** The authenticated SIP user; From is not trusted then. Empty where the sender speaks for several users. */
  readonly user: string;
  /** The trunk that the sender calls through. */
  readonly trunk?: string;
  /** The carrier that hands the call over, and the dialled number. */
  readonly carrier?: string;
  readonly callee?: string;
  /** The caller's own SIP URI where an external party calls without credentials: nothing about the sender was verified. */
  readonly external?: string;
  /** The UUID for its leg; a new one when absent. */
  readonly leg?: string;
  /** The application for its calls, where its token names one. */
  readonly application?: string;
  /** Set for a sender with a token: its registration lasts no longer than the token, and requires the right to receive calls. */
  readonly token?: { readonly expiresAt: number; readonly mayReceive: boolean; readonly mayCall: boolean };
}

/** The final response to a request that is not admitted. */
export interface Refused {
  readonly ok: false;
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Decides which senders may register and call. One edge asks for digest credentials; the phones of the sandbox trust their platform. */
export interface Admission {
  /** `flow` names what the request came on. */
  admit(request: SipRequest, sourceAddress: string, flow: string): Promised<Admitted | Refused>;
}

/** For phones that only their own platform can reach: a loopback socket whose port is not published. */
export function admitAll(account: string): Admission {
  const admitted: Admitted = { ok: true, account, endpoint: '', user: '' };
  return { admit: () => admitted };
}
