import { type Static, Type } from 'typebox';
import { apiId } from '../envelopes.ts';
import { text } from '../primitives.ts';

const instant = (description: string, example: string) =>
  Type.Optional(
    text({
      maxLength: 40,
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+]00:00)?$',
      allowed: 'a time in UTC, such as 2026-02-01T10:00:00Z',
      examples: [example],
      description,
    }),
  );

/** Minutes in one answer. */
export const maxStatisticsMinutes = 1_440;

export const statisticsQuery = Type.Object({
  from: instant(
    `The first minute, in UTC; an hour before the end when left out, ${maxStatisticsMinutes} minutes at most.`,
    '2026-02-01T10:00:00Z',
  ),
  to: instant('The end, in UTC, not included; now when left out.', '2026-02-01T11:00:00Z'),
});
export type StatisticsQuery = Static<typeof statisticsQuery>;

export const statisticsBucket = Type.Object(
  {
    minute: Type.String({ examples: ['2026-02-01T10:00:00.000Z'] }),
    attempts: Type.Integer({ description: 'Calls that began, in both directions.' }),
    answered: Type.Integer({ description: 'Calls that were answered.' }),
    ended: Type.Integer({ description: 'Calls that ended.' }),
    concurrent: Type.Integer({ description: 'Live calls at the end of the minute.' }),
    mos: Type.Union([Type.Number(), Type.Null()], {
      description: 'Mean of the calls that ended with audio; null without any.',
    }),
    causes: Type.Record(Type.String(), Type.Integer(), {
      description: 'Calls that ended, by hangup_cause_name.',
    }),
  },
  { title: 'Calls in a minute' },
);
export type StatisticsBucket = Static<typeof statisticsBucket>;

/** Minutes without a change are left out. */
export const statisticsBody = Type.Object({
  api_id: apiId,
  from: Type.String({ examples: ['2026-02-01T10:00:00.000Z'] }),
  to: Type.String({ examples: ['2026-02-01T11:00:00.000Z'] }),
  objects: Type.Array(statisticsBucket),
});

export const verifyStatisticsGroups = ['channel', 'prefix', 'hour'] as const;
export const maxVerifyStatisticsDays = 31;

export const verifyStatisticsQuery = Type.Object({
  by: Type.Optional(
    text({
      maxLength: 30,
      pattern: '^(channel|prefix|hour)(,(channel|prefix|hour)){0,2}$',
      allowed: 'channel, prefix and hour, separated by commas',
      description: 'The rows: one for each combination of these; one row in all when left out.',
    }),
  ),
  from: instant(
    `Sessions that began from then on, in UTC; a day before the end when left out, ${maxVerifyStatisticsDays} days at most.`,
    '2026-02-01T10:00:00Z',
  ),
  to: instant('Sessions that began before, in UTC; now when left out.', '2026-02-01T11:00:00Z'),
});
export type VerifyStatisticsQuery = Static<typeof verifyStatisticsQuery>;

export const verifyStatisticsRow = Type.Object(
  {
    channel: Type.Optional(Type.String({ description: 'sms or voice: the channel of the first attempt.' })),
    prefix: Type.Optional(Type.String({ description: 'The first digits of the number.' })),
    hour: Type.Optional(Type.String({ examples: ['2026-02-01T10:00:00.000Z'] })),
    created: Type.Integer({ description: 'Sessions.' }),
    sent: Type.Integer({ description: 'Sessions of which an attempt left the platform.' }),
    delivered: Type.Integer({ description: 'Sessions of which an attempt reached the phone.' }),
    verified: Type.Integer({ description: 'Sessions whose code was entered.' }),
  },
  { title: 'Verify funnel' },
);
export type VerifyStatisticsRow = Static<typeof verifyStatisticsRow>;

export const verifyStatisticsBody = Type.Object({
  api_id: apiId,
  from: Type.String({ examples: ['2026-02-01T10:00:00.000Z'] }),
  to: Type.String({ examples: ['2026-02-01T11:00:00.000Z'] }),
  are_rows_cut: Type.Boolean({ description: 'There are more rows than shown: choose a shorter time.' }),
  objects: Type.Array(verifyStatisticsRow),
});
