import type { Admission, Refused } from './admission.ts';

interface AccountAdmissionDeps {
  /** False for an account that is disabled or deleted. */
  readonly isActive: (account: string) => Promise<boolean>;
  /** Called for each request that is refused. */
  readonly refused?: () => void;
  /** Authenticates the sender. */
  readonly otherwise: Admission;
}

/**
 * Refuses requests of inactive accounts with 403, however their sender was authenticated. It runs after the credentials: only their holder
 * learns the state of the account, and a retry does not count as a failed authentication.
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
