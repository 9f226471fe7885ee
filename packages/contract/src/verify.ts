import { type Static, Type } from 'typebox';
import { apiId, listBody, listMeta, pageQuery } from './envelopes.ts';
import { instant } from './instant.ts';
import { looseBoolean, looseEnum, looseInteger } from './loose.ts';
import { e164, httpUrl, pathId, text } from './primitives.ts';

export const verifySessionPath = Type.Object({
  session_uuid: pathId({ description: 'session_uuid of a session.' }),
});
export const verifyAppPath = Type.Object({ app_uuid: pathId({ description: 'app_uuid of an app.' }) });

export const verifyChannels = ['sms', 'voice'] as const;
export const verifyStatuses = ['in-progress', 'verified', 'expired'] as const;
export const fraudLevels = ['off', 'low', 'medium', 'high'] as const;

const brandName = (description: string) => text({ minLength: 0, maxLength: 60, description });
const appHash = (description: string) =>
  text({
    minLength: 0,
    maxLength: 11,
    pattern: '^([A-Za-z0-9+/]{11})?$',
    allowed: 'the 11 characters of an Android app hash',
    description,
  });
const codeLength = looseInteger({ minimum: 4, maximum: 8, default: 6, description: 'Digits of a code.' });
const senderName = (description: string) =>
  text({
    minLength: 0,
    maxLength: 16,
    pattern: '^(\\+?[0-9]{1,15}|[A-Za-z0-9 ]{1,11})?$',
    allowed: 'a phone number, or a name of at most 11 letters, digits and spaces',
    description,
  });

export const newVerifySession = Type.Object({
  recipient: e164({ description: 'Phone number that is to be verified, in E.164 format.' }),
  app_uuid: Type.Optional(
    text({ maxLength: 36, description: 'App of the session; the default app if left out.' }),
  ),
  channel: Type.Optional(
    looseEnum(verifyChannels, { default: 'sms', description: 'How the code is sent: sms or voice.' }),
  ),
  url: Type.Optional(httpUrl({ description: 'Receives everything that happens to the session.' })),
  method: Type.Optional(
    looseEnum(['GET', 'POST'], { default: 'POST', description: 'How url is requested: GET or POST.' }),
  ),
  locale: Type.Optional(
    text({
      maxLength: 35,
      pattern: '^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$',
      allowed: 'a language tag, such as en or pt-BR',
      description: 'Language of the message and of the voice: en if left out, or where it is not known.',
    }),
  ),
  brand_name: Type.Optional(brandName('Named in the message instead of the brand of the app.')),
  app_hash: Type.Optional(appHash('Ends the message, so that an Android app may read it.')),
  code_length: Type.Optional(codeLength),
  dtmf: Type.Optional(
    Type.Unsafe<boolean | number | string>({
      anyOf: [{ type: 'boolean' }, { enum: [0, 1, '0', '1', 'true', 'false'] }],
      'x-allowed': '0 or 1',
      description: 'With 1 the call speaks the code after the key 1 was pressed.',
      default: 0,
    }),
  ),
  fraud_check: Type.Optional(
    text({ maxLength: 32, description: 'off, low, medium or high instead of the level of the app.' }),
  ),
  src: Type.Optional(senderName('Sender of the message, or caller, instead of that of the app.')),
  requestor_ip: Type.Optional(
    text({
      maxLength: 45,
      pattern: '^[0-9A-Fa-f.:]{2,45}$',
      allowed: 'an IP address',
      description: 'Address of the person who asked for the code: sends are limited for each.',
    }),
  ),
});
export type NewVerifySession = Static<typeof newVerifySession>;

export const startedVerifySession = Type.Object({
  api_id: apiId,
  message: Type.String({ examples: ['Session initiated'] }),
  session_uuid: Type.String(),
});

export const verifyCheck = Type.Object({
  otp: Type.Unsafe<string | number>({
    anyOf: [
      { type: 'string', pattern: '^[0-9]{1,8}$' },
      { type: 'integer', minimum: 0, maximum: 99_999_999 },
    ],
    'x-allowed': 'the digits of a code',
    writeOnly: true,
    description: 'What the person has typed.',
  }),
});
export type VerifyCheck = Static<typeof verifyCheck>;

export const verifyCheckPassed = Type.Object({
  api_id: apiId,
  message: Type.String({ examples: ['session validated successfully.'] }),
  session_uuid: Type.String(),
});

export const verifyReceipt = Type.Object({
  api_id: apiId,
  session_uuid: Type.String(),
  receipt: Type.String({
    description:
      'Compact JWS: iss, aud (account), sub (recipient), jti (session), iat (when it was verified), channel, attempt_uuid, app_uuid.',
  }),
  keys_url: Type.String({ description: 'Where the public key is, as a JWK set.' }),
});

const exactly = (maxLength: number, description: string) => Type.Optional(text({ maxLength, description }));
const statusNames = 'in-progress, verified or expired';

export const verifySessionListQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(
    text({
      maxLength: 11,
      allowed: statusNames,
      description: `Sessions in this status only: ${statusNames}.`,
    }),
  ),
  recipient: exactly(16, 'Sessions of this recipient.'),
  app_uuid: exactly(36, 'Sessions of this app.'),
  country: Type.Optional(
    text({
      maxLength: 2,
      pattern: '^[A-Za-z]{2}$',
      allowed: 'the two letters of a country, such as US',
      description: 'Sessions with recipients of this country, by its two letters.',
    }),
  ),
  alias: exactly(100, 'Sessions of apps of this alias.'),
  subaccount: exactly(20, 'Sessions of this subaccount only: its auth_id.'),
  brand_name: exactly(60, 'Sessions with this brand.'),
  app_hash: exactly(11, 'Sessions with this app hash.'),
  session_time: instant('Begun in this minute or second'),
  session_time__gt: instant('Begun after'),
  session_time__gte: instant('Begun at or after'),
  session_time__lt: instant('Begun before'),
  session_time__lte: instant('Begun at or before'),
  session_time_gt: instant('The same as session_time__gt'),
  session_time_gte: instant('The same as session_time__gte'),
  session_time_lt: instant('The same as session_time__lt'),
  session_time_lte: instant('The same as session_time__lte'),
});
export type VerifySessionListQuery = Static<typeof verifySessionListQuery>;

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const channel = Type.Unsafe<'sms' | 'voice'>({ type: 'string', enum: [...verifyChannels] });
const rfc3339 = Type.String({ examples: ['2026-02-01T10:00:00.123Z'] });

export const verifyAttempt = Type.Object({
  channel,
  attempt_uuid: Type.String(),
  status: Type.String({
    description:
      'sms: queued, sent, delivered, undelivered or failed; voice: in-progress, completed or no-answer.',
  }),
  time: rfc3339,
  brand_name: Type.Optional(Type.String()),
  app_hash: Type.Optional(Type.String()),
  code_length: Type.Integer(),
  dtmf: Type.Integer(),
  fraud_check: Type.Optional(Type.String()),
  channel_error_code: textOrNull('Why it was not delivered, or was blocked.'),
});

const verifySessionFields = {
  session_uuid: Type.String(),
  app_uuid: Type.String(),
  alias: Type.String({ description: 'Of the app when the session began.' }),
  recipient: Type.String({ description: 'Digits without +.' }),
  channel,
  locale: Type.String(),
  status: Type.Unsafe<(typeof verifyStatuses)[number]>({ type: 'string', enum: [...verifyStatuses] }),
  count: Type.Integer({ description: 'Attempts so far.' }),
  requestor_ip: textOrNull('As it was given.'),
  destination_country_iso2: textOrNull('Null for numbers that belong to no country.'),
  destination_network: textOrNull('Always null: networks are not looked up.'),
  attempt_details: Type.Union([Type.Array(verifyAttempt), Type.Null()]),
  charges: Type.Object({
    total_charge: Type.String(),
    validation_charge: Type.String(),
    attempt_charges: Type.Union([
      Type.Array(Type.Object({ attempt_uuid: Type.String(), channel, charge: Type.String() })),
      Type.Null(),
    ]),
  }),
  created_at: rfc3339,
  updated_at: rfc3339,
};
export const verifySession = Type.Object(verifySessionFields, { title: 'Verify session' });
export type VerifySessionItem = Static<typeof verifySession>;
export const verifySessionBody = Type.Object({ api_id: apiId, ...verifySessionFields });
/** The array is called sessions here, as clients of the interface expect. */
export const verifySessionList = Type.Object({
  api_id: apiId,
  meta: listMeta,
  sessions: Type.Array(verifySession),
});

const appSettings = {
  brand_name: Type.Optional(brandName('Named in messages and calls.')),
  code_length: Type.Optional(codeLength),
  code_expiry: Type.Optional(
    looseInteger({ minimum: 1, maximum: 60, default: 10, description: 'Minutes for which a code is valid.' }),
  ),
  max_attempts: Type.Optional(
    looseInteger({ minimum: 1, maximum: 10, default: 5, description: 'How often a code is sent.' }),
  ),
  max_validations: Type.Optional(
    looseInteger({ minimum: 1, maximum: 10, default: 5, description: 'How often a code may be checked.' }),
  ),
  sms_template: Type.Optional(
    text({
      minLength: 0,
      maxLength: 480,
      description:
        'Text of messages, with {{code}} and optionally {{brand}}. An empty text means the text of the language.',
    }),
  ),
  app_hash: Type.Optional(appHash('Ends each message, so that an Android app may read it.')),
  sender: Type.Optional(senderName('Sender of messages and caller of calls.')),
  fraud_shield: Type.Optional(
    looseEnum(fraudLevels, {
      default: 'medium',
      description: 'How soon numbers of a prefix are blocked that receive codes and verify none.',
    }),
  ),
  allowed_countries: Type.Optional(
    Type.Array(Type.String({ pattern: '^[A-Za-z]{2}$' }), {
      maxItems: 260,
      'x-allowed': 'a list of at most 260 countries, each by its two letters, such as ["US", "DE"]',
      description: 'Two letters of each country whose numbers are sent codes; an empty list allows all.',
    }),
  ),
  voice_fallback: Type.Optional(
    looseBoolean({
      default: false,
      description: 'true calls the recipient when a message was not delivered.',
    }),
  ),
  is_default: Type.Optional(
    looseBoolean({ default: false, description: 'true makes it the app of sessions that name none.' }),
  ),
};
const alias = text({ maxLength: 100, description: 'A name for people to read.' });
export const newVerifyApp = Type.Object({ alias, ...appSettings });
export type NewVerifyApp = Static<typeof newVerifyApp>;
export const verifyAppChanges = Type.Object({ alias: Type.Optional(alias), ...appSettings });
export type VerifyAppChanges = Static<typeof verifyAppChanges>;
export const verifyAppListQuery = Type.Object({ ...pageQuery });

export const createdVerifyApp = Type.Object({
  api_id: apiId,
  message: Type.String({ examples: ['created'] }),
  app_uuid: Type.String(),
});

export const verifyApp = Type.Object(
  {
    app_uuid: Type.String(),
    alias: Type.String(),
    brand_name: Type.String(),
    code_length: Type.Integer(),
    code_expiry: Type.Integer(),
    max_attempts: Type.Integer(),
    max_validations: Type.Integer(),
    sms_template: Type.String(),
    app_hash: Type.String(),
    sender: Type.String(),
    fraud_shield: Type.Unsafe<(typeof fraudLevels)[number]>({ type: 'string', enum: [...fraudLevels] }),
    allowed_countries: Type.Array(Type.String()),
    voice_fallback: Type.Boolean(),
    is_default: Type.Boolean(),
    created_at: rfc3339,
    resource_uri: Type.String(),
  },
  { title: 'Verify app' },
);
export type VerifyAppItem = Static<typeof verifyApp>;
export const verifyAppBody = Type.Object({ api_id: apiId, ...verifyApp.properties });
export const verifyAppList = listBody(verifyApp);

export const sandboxMessageListQuery = Type.Object({
  ...pageQuery,
  to: exactly(16, 'Messages to this number.'),
});
export const sandboxMessage = Type.Object(
  {
    message_uuid: Type.String(),
    from: Type.String(),
    to: Type.String(),
    text: Type.String(),
    status: Type.Unsafe<'sent' | 'delivered' | 'undelivered' | 'failed'>({
      type: 'string',
      enum: ['sent', 'delivered', 'undelivered', 'failed'],
    }),
    created_at: rfc3339,
  },
  { title: 'Sandbox message' },
);
export const sandboxMessageList = listBody(sandboxMessage);
