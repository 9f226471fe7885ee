import type { Admission, Refused } from './admission.ts';

interface AccountAdmissionDeps {
  /** False for an account that is disabled or gone. */
  readonly isActive: (account: string) => Promise<boolean>;
  /** Called for each request that is refused. */
  readonly refused?: () => void;
  /** Shows who it is. */
  readonly otherwise: Admission;
}

/**
 * Refuses with 403 what accounts send that are not active, by whatever they have shown who they are. It comes after the credentials:
 * only their holder learns of it, and a phone that tries again does not count as a guesser.
 */
export function createAccountAdmission({ isActive, refused, otherwise }: AccountAdmissionDeps): Admission {
  return {
    async admit(request, sourceAddress, flow) {
      const admitted = await otherwise.admit(request, sourceAddress, flow);
      if (!admitted.ok || (await isActive(admitted.account))) return admitted;
      refused?.();
      return inactive;
    },
  };
}

const inactive: Refused = { ok: false, status: 403, headers: [] };
