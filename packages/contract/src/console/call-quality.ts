import { type Static, Type } from 'typebox';
import { apiId } from '../envelopes.ts';

/** Classes of the mean opinion score, the best first. */
export const qualityClasses = ['good', 'fair', 'poor', 'bad'] as const;
export type QualityClass = (typeof qualityClasses)[number];

const numberOrNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

export const callQualitySample = Type.Object(
  {
    at: Type.String({ examples: ['2026-02-01T10:00:10.000Z'] }),
    class: Type.Union(
      [Type.Unsafe<QualityClass>({ type: 'string', enum: [...qualityClasses] }), Type.Null()],
      {
        description:
          'Of mos: good from 4.0 on, fair from 3.6 on, poor from 3.1 on, bad below; null without mos.',
      },
    ),
    mos: numberOrNull('Estimated mean opinion score of these seconds; null when nothing was received.'),
    codec: Type.String({ examples: ['PCMU'] }),
    seconds: Type.Number({ description: 'How long the sample lasted.' }),
    packets_received: Type.Integer({ description: 'In these seconds, like all counts of a sample.' }),
    packets_lost: Type.Integer(),
    packets_sent: Type.Integer(),
    frames_concealed: Type.Integer({ description: 'Frames of 20 ms that the jitter buffer had to make up.' }),
    loss_percent: numberOrNull('Of the packets of these seconds; null when nothing was received.'),
    jitter_ms: Type.Number({ description: 'Interarrival jitter at the end of these seconds (RFC 3550).' }),
    round_trip_ms: numberOrNull('By the last report of the phone (RTCP); null when it sent none.'),
    remote_loss_percent: numberOrNull(
      'What the phone reported lost last of what it was sent; null without reports.',
    ),
  },
  { title: 'Quality of a call at a time' },
);
export type CallQualitySample = Static<typeof callQualitySample>;

/** One answer holds all: a call has a sample every ten seconds in its first hour, one a minute later. */
export const callQualityBody = Type.Object(
  { api_id: apiId, call_uuid: Type.String(), objects: Type.Array(callQualitySample) },
  { title: 'Quality of a call over time' },
);
