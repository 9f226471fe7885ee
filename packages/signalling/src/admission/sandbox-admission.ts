import type { ExpectedCall } from '@jackfield/ports';
import type { Admission } from './admission.ts';

export interface SandboxAdmissionDeps {
  /** The call that a phone of the sandbox with this leg has been told to make; found once. */
  readonly expected: (phoneLeg: string) => ExpectedCall | undefined;
  /** Decides everything else. */
  readonly otherwise: Admission;
}

/**
 * Lets in what a phone of the sandbox was told to call. Its INVITE carries the UUID of the phone's leg: 122 random bits that only
 * this process knows, and that are good for one call.
 */
export function createSandboxAdmission({ expected, otherwise }: SandboxAdmissionDeps): Admission {
  return {
    async admit(request, source, flow) {
      const phoneLeg = request.method === 'INVITE' ? request.headers.get('X-CallUUID') : undefined;
      const call = phoneLeg === undefined ? undefined : expected(phoneLeg);
      if (call === undefined) return otherwise.admit(request, source, flow);
      return { ok: true, endpoint: '', user: '', ...call };
    },
  };
}
