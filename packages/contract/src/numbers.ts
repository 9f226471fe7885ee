import { type Static, type TUnsafe, Type } from 'typebox';
import { apiId, listBody, pageQuery } from './envelopes.ts';
import type { Described } from './loose.ts';
import { authId, e164, text } from './primitives.ts';

/** Any text: a path that is no number is an unknown number. */
export const numberPath = Type.Object({
  number: Type.String({ description: 'The number, with or without +.' }),
});

/** A reference to another resource; null or an empty text takes it back. */
function reference(maxLength: number, options: Described): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({
    anyOf: [{ type: 'string', maxLength }, { type: 'null' }],
    'x-allowed': 'the identifier of one of your resources, or null for none',
    ...options,
  });
}

const settings = {
  alias: Type.Optional(text({ minLength: 0, maxLength: 100, description: 'A name for people to read.' })),
  app_id: Type.Optional(
    reference(32, {
      description: 'Application that takes calls to the number; null for none. Takes it from a trunk.',
    }),
  ),
  trunk_id: Type.Optional(
    reference(36, {
      description:
        'Inbound trunk that takes calls to the number; null for none. Takes it from an application.',
    }),
  ),
  subaccount: Type.Optional(
    authId({
      description: 'auth_id of the subaccount that may use it, or your own; by a main account alone.',
    }),
  ),
};

export const newNumber = Type.Object({
  number: e164({ description: 'The number that is added.' }),
  ...settings,
});
export type NewNumber = Static<typeof newNumber>;

export const numberChanges = Type.Object(settings);
export type NumberChanges = Static<typeof numberChanges>;

export const createdNumber = Type.Object({
  api_id: apiId,
  message: Type.String({ examples: ['created'] }),
  number: Type.String({ examples: ['442079460100'] }),
});

const orNull = (description: string) => Type.Union([Type.String({ description }), Type.Null()]);

export const number = Type.Object(
  {
    number: Type.String({ description: 'Digits without +.', examples: ['442079460100'] }),
    alias: Type.String(),
    application: orNull(
      'URI of the application that takes its calls; null where the account does not see it.',
    ),
    trunk_id: orNull('The inbound trunk that takes its calls.'),
    sub_account: orNull('URI of the subaccount that may use it.'),
    added_on: Type.String({ examples: ['2026-02-01'] }),
    voice_enabled: Type.Boolean(),
    resource_uri: Type.String(),
  },
  { title: 'Number' },
);
export type ShownNumber = Static<typeof number>;
export const numberBody = Type.Object({ api_id: apiId, ...number.properties });
export const numberList = listBody(number);

export const numberListQuery = Type.Object({
  ...pageQuery,
  subaccount: Type.Optional(
    text({ maxLength: 20, description: 'Numbers of this subaccount only: its auth_id.' }),
  ),
  trunk_id: Type.Optional(text({ maxLength: 36, description: 'Numbers of this trunk only.' })),
  app_id: Type.Optional(text({ maxLength: 32, description: 'Numbers of this application only.' })),
});
export type NumberListQuery = Static<typeof numberListQuery>;
