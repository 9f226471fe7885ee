import { type Promised, whenThere } from '@jackfield/ports';
import type { Admission, Admitted, Refused } from './admission.ts';

interface AccountAdmissionDeps {
  /** False for an account that is disabled or deleted. */
  readonly isActive: (account: string) => Promised<boolean>;
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
  function ifActive(admitted: Admitted | Refused): Promised<Admitted | Refused> {
    if (!admitted.ok) return admitted;
    return whenThere(isActive(admitted.account), (mayGoOn) => {
      if (mayGoOn) return admitted;
      refused?.();
      return inactive;
    });
  }

  return {
    admit: (request, sourceAddress, flow) =>
      whenThere(otherwise.admit(request, sourceAddress, flow), ifActive),
  };
}

const inactive: Refused = { ok: false, status: 403, headers: [] };
