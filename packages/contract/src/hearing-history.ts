import { type Static, Type } from 'typebox';
import { listBody, pageQuery } from './envelopes.ts';
import { looseBoolean, looseEnum } from './loose.ts';
import { participantRoles } from './multiparty-calls.ts';
import { text } from './primitives.ts';

const member = (who: string) =>
  Type.Optional(
    text({
      maxLength: 15,
      pattern: '^[0-9]{1,15}$',
      allowed: 'a member_id',
      description: `member_id of ${who}.`,
    }),
  );
const role = (who: string) => Type.Optional(looseEnum(participantRoles, { description: `Role of ${who}.` }));

export const hearingHistoryQuery = Type.Object({
  ...pageQuery,
  listener: member('who could hear'),
  speaker: member('who could be heard'),
  listener_role: role('who could hear'),
  speaker_role: role('who could be heard'),
  coaching: Type.Optional(
    looseBoolean({
      description: 'true: only while the speaker was a supervisor who coached; false: not then.',
    }),
  ),
  at: Type.Optional(
    text({
      maxLength: 40,
      allowed: 'a time in UTC of the form YYYY-MM-DD HH:MM[:ss[.uuuuuu]]',
      description: 'What was so at some moment of this minute, second or millisecond, in UTC.',
    }),
  ),
});
export type HearingHistoryQuery = Static<typeof hearingHistoryQuery>;

const person = Type.Object({
  member_id: Type.String(),
  call_uuid: Type.String(),
  role: Type.Unsafe<(typeof participantRoles)[number]>({ type: 'string', enum: [...participantRoles] }),
});

export const hearingHistoryItem = Type.Object(
  {
    listener: person,
    speaker: person,
    coaching: Type.Boolean({ description: 'The speaker was a supervisor who coached.' }),
    from_time: Type.String({ examples: ['2026-02-01 10:00:00.123000+00:00'] }),
    to_time: Type.Union([Type.String(), Type.Null()], { description: 'null while it is so.' }),
    from_ms: Type.Integer({ description: 'Milliseconds since 1970-01-01.' }),
    to_ms: Type.Union([Type.Integer(), Type.Null()]),
  },
  { title: 'A time during which one participant could hear another' },
);
export type HearingHistoryItem = Static<typeof hearingHistoryItem>;
export const hearingHistoryList = listBody(hearingHistoryItem);
