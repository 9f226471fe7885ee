import { type Static, Type } from 'typebox';
import { apiId } from '../envelopes.ts';
import { looseInteger } from '../loose.ts';

export const defaultPeaks = 2_000;
export const maxPeaks = 20_000;

export const peaksQuery = Type.Object({
  pairs: Type.Optional(
    looseInteger({
      minimum: 1,
      maximum: maxPeaks,
      default: defaultPeaks,
      description: 'Pairs for each channel at most; neighbours are joined where there are more.',
    }),
  ),
});
export type PeaksQuery = Static<typeof peaksQuery>;

export const peaksBody = Type.Object(
  {
    api_id: apiId,
    recording_id: Type.String(),
    pair_ms: Type.Integer({ description: 'Milliseconds of one pair: 100, or a multiple of it.' }),
    duration_ms: Type.Integer(),
    channels: Type.Array(Type.Array(Type.Integer()), {
      description:
        'For each channel its pairs, one after another: the least and the greatest sample of the time, from -127 to 127.',
    }),
  },
  { title: 'Peaks of a recording' },
);
