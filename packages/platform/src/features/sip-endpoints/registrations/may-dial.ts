import type { Registrations } from '@jackfield/ports';

/**
 * Whether an endpoint may have a number called by transferring its call. Where an application takes the calls of an endpoint, it decides which
 * numbers are called; an endpoint that is not found calls none.
 */
export function createMayDial(
  { credentialOf }: Pick<Registrations, 'credentialOf'>,
  applicationOf: (endpointId: string) => Promise<string | null>,
): (user: string) => Promise<boolean> {
  return async (user) => {
    const credential = await credentialOf(user);
    return credential !== undefined && (await applicationOf(credential.endpoint)) === null;
  };
}
