import { type Static, Type } from 'typebox';
import { apiId, listBody, pageQuery } from './envelopes.ts';
import { type CallbackProblemCode, callbackProblemCodes, codesOf } from './fault-codes.ts';
import { looseEnum } from './loose.ts';
import { pathId, text } from './primitives.ts';

export const callbackStatuses = ['waiting', 'delivered', 'retrying', 'failed'] as const;

export const callbackPath = Type.Object({
  callback_id: pathId({ description: 'callback_id of a delivery.' }),
});

export const callbackListQuery = Type.Object({
  ...pageQuery,
  resource: Type.Optional(
    text({ maxLength: 200, description: 'Deliveries of this resource, such as multiparty-call/<mpc_uuid>.' }),
  ),
  status: Type.Optional(looseEnum(callbackStatuses, { description: 'Deliveries in this status.' })),
});
export type CallbackListQuery = Static<typeof callbackListQuery>;

const time = (description: string) => Type.String({ description, examples: ['2026-02-01 10:00:00+00:00'] });

const problemCode = Type.Unsafe<CallbackProblemCode | null>({
  type: ['string', 'null'],
  enum: [...codesOf(callbackProblemCodes), null],
  description: 'The problem as a code of docs/reference/errors.md.',
});

const callbackItemFields = {
  callback_id: Type.String(),
  event_id: Type.String({
    description: 'The header X-Service-Event-Id: the same however often it is sent.',
  }),
  event: Type.String({ examples: ['multiparty-call.started'] }),
  resource: Type.String({ description: 'Deliveries of one resource keep their order.' }),
  url: Type.String({ description: 'As it was set, with its fragment.' }),
  method: Type.Unsafe<'GET' | 'POST'>({ type: 'string', enum: ['GET', 'POST'] }),
  status: Type.Unsafe<(typeof callbackStatuses)[number]>({ type: 'string', enum: [...callbackStatuses] }),
  attempts: Type.Integer(),
  response_status: Type.Union([Type.Integer(), Type.Null()], {
    description: 'HTTP status of the last answer; null when none came.',
  }),
  problem: Type.Union([Type.String(), Type.Null()], { description: 'Why it was not delivered.' }),
  problem_code: problemCode,
  duration: Type.Integer({ description: 'Milliseconds of the last attempt.' }),
  created_time: time('When the event happened'),
  last_attempt_time: Type.Union([Type.String(), Type.Null()], {
    description: 'When it was last sent; null while it waits.',
  }),
  next_attempt_time: Type.Union([Type.String(), Type.Null()], {
    description:
      'When it may be sent next, once what is ahead of it is over; null unless waiting or retrying.',
  }),
  resource_uri: Type.String(),
};
export const callbackItem = Type.Object(callbackItemFields, { title: 'Callback in a list' });
export type CallbackItem = Static<typeof callbackItem>;
export const callbackList = listBody(callbackItem);

export const callbackBody = Type.Object(
  {
    api_id: apiId,
    ...callbackItemFields,
    request_url: Type.String({
      description: 'As it was sent: without the fragment, with the query of a GET.',
    }),
    attempt_log: Type.Array(
      Type.Object({
        time: time('When it was sent'),
        status: Type.Union([Type.Integer(), Type.Null()]),
        duration: Type.Integer({ description: 'Milliseconds.' }),
        problem: Type.Union([Type.String(), Type.Null()]),
        problem_code: problemCode,
      }),
      { description: 'Every attempt, the first one first.' },
    ),
    headers: Type.Record(Type.String(), Type.String(), { description: 'Of the last attempt.' }),
    body: Type.String({ description: 'Form of a POST; empty for a GET.' }),
    signed_v2: Type.String({ description: 'The exact text that the signature V2 is of, nonce included.' }),
    signed_v3: Type.String({
      description: 'The exact text that the signature V3 is of, or the first of two, nonce included.',
    }),
  },
  { title: 'Callback' },
);
export type CallbackBody = Static<typeof callbackBody>;

export const replayedCallback = Type.Object({
  api_id: apiId,
  message: Type.String({ examples: ['replay started'] }),
  callback_id: Type.String({ description: 'The new delivery; its record is there at once.' }),
  event_id: Type.String(),
});
