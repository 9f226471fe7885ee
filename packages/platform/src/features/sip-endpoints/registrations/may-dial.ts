import type { Registrations } from '@jackfield/ports';

/**
 * Whether an endpoint may transfer its call to a number. Where an application answers the calls of an endpoint, the application decides which
 * numbers are called; an unknown endpoint calls none.
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
