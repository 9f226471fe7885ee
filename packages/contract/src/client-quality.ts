import { Type } from 'typebox';
import { text } from './primitives.ts';

const clientName = (description: string) =>
  text({
    maxLength: 32,
    pattern: '^[A-Za-z0-9_./-]*$',
    allowed: '1 to 32 letters, digits, dots, slashes, hyphens and underscores',
    description,
  });
const packets = (description: string) => Type.Integer({ minimum: 0, maximum: 1_000_000, description });
const milliseconds = (description: string) => Type.Number({ minimum: 0, maximum: 60_000, description });

/** What a page measured of its call; the voice SDK sends the same as SIP INFO. */
export const clientQualityReport = Type.Object({
  samples: Type.Array(
    Type.Object({
      packets_received: packets('Received since the sample before.'),
      packets_lost: packets('Lost since the sample before.'),
      packets_sent: packets('Sent since the sample before.'),
      jitter_ms: milliseconds('Interarrival jitter (RFC 3550).'),
      round_trip_ms: Type.Optional(milliseconds('Round trip to the server.')),
      mos: Type.Optional(
        Type.Number({ minimum: 1, maximum: 5, description: 'Estimated mean opinion score.' }),
      ),
      codec: Type.Optional(clientName('Name of the received codec.')),
      transport: Type.Optional(clientName('udp or tcp.')),
    }),
    { minItems: 1, maxItems: 60 },
  ),
  warnings: Type.Optional(
    Type.Array(clientName('A warning that lasts, such as high-loss.'), { maxItems: 16 }),
  ),
});
