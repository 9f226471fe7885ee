import type { SipRequest } from '@jackfield/sip';

/** Who sends a request, as far as that was shown. */
export interface Admitted {
  readonly ok: true;
  readonly account: string;
  readonly endpoint: string;
  /** The SIP user that was authenticated: what a From says is not trusted then. Empty where the sender speaks for many. */
  readonly user: string;
  /** The trunk through which it calls. */
  readonly trunk?: string;
  /** The carrier that hands the call over, and the number that it was dialled for. */
  readonly carrier?: string;
  readonly callee?: string;
  /** The caller's own SIP URI where the call comes from elsewhere without credentials: nothing about its sender was verified. */
  readonly external?: string;
  /** The UUID that its leg is to have; a new one when absent. */
  readonly leg?: string;
  /** The application that is to take its calls, where its token names one. */
  readonly application?: string;
  /** Set for who presented a token: it is registered no longer than that lasts, and only when it may be called. */
  readonly token?: { readonly expiresAt: number; readonly mayReceive: boolean; readonly mayCall: boolean };
}

/** The final response that a request gets instead. */
export interface Refused {
  readonly ok: false;
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Decides who may register and call. One edge asks for digest credentials, the sandbox's phones trust their platform. */
export interface Admission {
  /** `flow` names what the request came on. */
  admit(request: SipRequest, sourceAddress: string, flow: string): Promise<Admitted | Refused>;
}

/** For phones that only their own platform can reach: a socket on loopback whose port nobody else is told. */
export function trustEverybody(account: string): Admission {
  const admitted: Admitted = { ok: true, account, endpoint: '', user: '' };
  return { admit: () => Promise.resolve(admitted) };
}
