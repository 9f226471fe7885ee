import type { AnsweringApplication, AnsweringApplications } from '../../applications/index.ts';
import type { LegOffer } from '../../calls/index.ts';
import type { NumberDestinations } from '../../numbers/index.ts';

interface ApplicationOfDeps {
  readonly answering: AnsweringApplications;
  /** The application that an endpoint is attached to. */
  readonly attachedTo: (endpointId: string) => Promise<string | null>;
  readonly numbers: Pick<NumberDestinations, 'heldOf'>;
}

/**
 * Finds the application that answers a call: the dialled application, or that of the caller's token, of its endpoint, or of the
 * dialled number, in this order.
 */
export function createApplicationOf({ answering, attachedTo, numbers }: ApplicationOfDeps) {
  return async (offer: LegOffer): Promise<AnsweringApplication | undefined> => {
    if (answering.isDialled(offer.to)) return answering.answerOf(offer.to, offer.mainAccount);
    const attached = offer.application ?? (await attachedTo(offer.endpoint));
    if (attached !== null) return answering.answerOf(attached, offer.mainAccount);
    const dialled = await numbers.heldOf(offer.to);
    if (dialled?.application) return answering.answerOf(dialled.application, dialled.mainAccount);
    const isUnattached = offer.carrier !== undefined && !dialled?.trunk;
    return isUnattached ? answering.answerOfNumbers(offer.account) : undefined;
  };
}
