import { type Static, Type } from 'typebox';
import { apiId, listBody } from './envelopes.ts';
import { looseBoolean } from './loose.ts';
import { pathId, text } from './primitives.ts';

const nullableText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const name = text({ maxLength: 100, description: 'A name for people to read.' });

export const account = Type.Object(
  {
    account_type: Type.String({ examples: ['standard'] }),
    address: Type.String(),
    auth_id: Type.String({ examples: ['MAXXXXXXXXXXXXXXXXXX'] }),
    auto_recharge: Type.Boolean({ description: 'Always false: nothing is charged here.' }),
    billing_mode: Type.String({ description: 'Always prepaid: nothing is charged here.' }),
    cash_credits: Type.String({ description: 'Always 0.00000: nothing is charged here.' }),
    city: Type.String(),
    name: Type.String(),
    state: Type.String(),
    timezone: Type.String({ examples: ['UTC'] }),
    resource_uri: Type.String(),
  },
  { title: 'Account' },
);
export type Account = Static<typeof account>;
export const accountBody = Type.Object({ api_id: apiId, ...account.properties });

const editableAccount = {
  name: Type.Optional(name),
  city: Type.Optional(text({ minLength: 0, maxLength: 100, description: 'City of the account.' })),
  address: Type.Optional(text({ minLength: 0, maxLength: 200, description: 'Postal address.' })),
  timezone: Type.Optional(
    text({
      maxLength: 64,
      pattern: '^[A-Za-z0-9_+/-]*$',
      allowed: 'the name of a time zone, such as Europe/Lisbon',
      description: 'IANA name of a time zone.',
    }),
  ),
};
export const accountChanges = Type.Object(editableAccount);
export type AccountChanges = Static<typeof accountChanges>;

export const subaccountPath = Type.Object({
  subaccount_id: pathId({ description: 'auth_id of the subaccount.' }),
});

export const newSubaccount = Type.Object({
  name,
  enabled: Type.Optional(
    looseBoolean({ default: true, description: 'A disabled subaccount cannot authenticate.' }),
  ),
});
export type NewSubaccount = Static<typeof newSubaccount>;

export const subaccountChanges = Type.Object({
  name: Type.Optional(name),
  enabled: Type.Optional(looseBoolean({ description: 'A disabled subaccount cannot authenticate.' })),
});
export type SubaccountChanges = Static<typeof subaccountChanges>;

export const subaccountRemoval = Type.Object({
  cascade: Type.Optional(
    looseBoolean({
      default: false,
      description: 'true deletes what the subaccount owns; otherwise it passes to the main account.',
    }),
  ),
});

export const createdSubaccount = Type.Object({
  api_id: apiId,
  auth_id: Type.String(),
  auth_token: Type.String(),
  message: Type.String({ examples: ['created'] }),
});

export const subaccount = Type.Object(
  {
    account: Type.String({ description: 'Path of the main account.' }),
    auth_id: Type.String({ examples: ['SAXXXXXXXXXXXXXXXXXX'] }),
    auth_token: nullableText('null for a session of the web console.'),
    new_auth_token: nullableText('Always null: a token does not change.'),
    created: Type.String({ description: 'YYYY-MM-DD' }),
    modified: nullableText('YYYY-MM-DD; null while unchanged.'),
    enabled: Type.Boolean(),
    name: Type.String(),
    resource_uri: Type.String(),
  },
  { title: 'Subaccount' },
);
export type Subaccount = Static<typeof subaccount>;
export const subaccountBody = Type.Object({ api_id: apiId, ...subaccount.properties });
export const subaccountList = listBody(subaccount);
