import type { StreamOrder } from '@jackfield/ports';
import { PlivoWriter } from './plivo-writer.ts';
import { readPlivoFrame } from './read-plivo.ts';
import { readTwilioFrame } from './read-twilio.ts';
import type { StreamDialect } from './stream-dialect.ts';
import { TwilioWriter } from './twilio-writer.ts';

const dialects: Readonly<Record<StreamOrder['dialect'], StreamDialect>> = {
  plivo: { createWriter: (order) => new PlivoWriter(order), read: readPlivoFrame },
  twilio: { createWriter: (order) => new TwilioWriter(order), read: readTwilioFrame },
};

/** The dialect of a stream. */
export function dialectOf({ dialect }: Pick<StreamOrder, 'dialect'>): StreamDialect {
  return dialects[dialect];
}
