import type { ExpectedCall } from '@jackfield/ports';
import type { Admission } from './admission.ts';

export interface SandboxAdmissionDeps {
  /** The call that the sandbox has ordered the phone with this leg to make; returned once. */
  readonly expected: (phoneLeg: string) => ExpectedCall | undefined;
  /** Decides about every other request. */
  readonly otherwise: Admission;
}

/**
 * Admits the calls that the sandbox has ordered its phones to make. The INVITE carries the UUID of the phone's leg: 122 random bits that
 * only this process knows, valid for one call.
 */
export function createSandboxAdmission({ expected, otherwise }: SandboxAdmissionDeps): Admission {
  return {
    admit(request, source, flow) {
      const phoneLeg = request.method === 'INVITE' ? request.headers.get('X-CallUUID') : undefined;
      const call = phoneLeg === undefined ? undefined : expected(phoneLeg);
      if (call === undefined) return otherwise.admit(request, source, flow);
      return Promise.resolve({ ok: true, endpoint: '', user: '', ...call });
    },
  };
}
