import { type Static, type TUnsafe, Type } from 'typebox';
import { apiId, listBody, pageQuery } from './envelopes.ts';
import { type Described, looseBoolean, looseEnum } from './loose.ts';
import { authId, httpUrl, pathId, text } from './primitives.ts';

/** A parameter that names an application; whether the account has it, only the platform knows. */
export function applicationId(options: Described): TUnsafe<string> {
  return text({
    maxLength: 32,
    pattern: '^[0-9]*$',
    allowed: 'the identifier of one of your applications',
    ...options,
  });
}

const nameOf = (description: string) =>
  text({
    maxLength: 100,
    pattern: '^[A-Za-z0-9_-]*$',
    allowed: '1 to 100 letters (A-Z, a-z), digits, hyphens and underscores',
    description,
  });

const urlOrNone = (description: string) =>
  Type.Unsafe<string>({
    anyOf: [httpUrl({ description }), { type: 'string', maxLength: 0 }],
    'x-allowed':
      'a URL that starts with http:// or https://, of at most 2048 characters, or an empty text for none',
    description,
  });

const method = (of: string) =>
  Type.Optional(
    looseEnum(['GET', 'POST'], { default: 'POST', description: `How ${of} is requested: GET or POST.` }),
  );

const answerUrl = httpUrl({ description: 'Where the instructions for a call are fetched.' });

const optionalSettings = {
  answer_method: method('answer_url'),
  hangup_url: Type.Optional(
    urlOrNone(
      'Receives a request when a call ends; answer_url while none is given. An empty text removes it.',
    ),
  ),
  hangup_method: method('hangup_url'),
  fallback_answer_url: Type.Optional(urlOrNone('Asked when answer_url fails. An empty text takes it back.')),
  fallback_method: method('fallback_answer_url'),
  message_url: Type.Optional(urlOrNone('Receives inbound messages. An empty text removes it.')),
  message_method: method('message_url'),
  default_number_app: Type.Optional(
    looseBoolean({
      default: false,
      description: 'Numbers without app_id get this application; shown as default_app.',
    }),
  ),
  default_endpoint_app: Type.Optional(
    looseBoolean({
      default: false,
      description: 'Endpoints of the same account that are created without app_id get this application.',
    }),
  ),
  public_uri: Type.Optional(
    looseBoolean({ default: false, description: 'Whether anybody may call sip_uri.' }),
  ),
  log_incoming_messages: Type.Optional(
    looseBoolean({ default: true, description: 'Whether the content of inbound messages is kept.' }),
  ),
  subaccount: Type.Optional(authId({ description: 'auth_id of the subaccount that is to own it.' })),
};

export const applicationPath = Type.Object({
  app_id: pathId({ description: 'Identifier of the application.' }),
});

export const newApplication = Type.Object({
  app_name: nameOf('A name for people to read. Several applications may have the same.'),
  answer_url: answerUrl,
  ...optionalSettings,
});
export type NewApplication = Static<typeof newApplication>;

export const applicationChanges = Type.Object({
  app_name: Type.Optional(nameOf('A name for people to read.')),
  answer_url: Type.Optional(answerUrl),
  ...optionalSettings,
});
export type ApplicationChanges = Static<typeof applicationChanges>;

export const applicationListQuery = Type.Object({
  ...pageQuery,
  app_name: Type.Optional(nameOf('Applications whose names begin with this, in the same case.')),
  subaccount: Type.Optional(
    text({ maxLength: 20, description: 'Applications of this subaccount only: its auth_id.' }),
  ),
});
export type ApplicationListQuery = Static<typeof applicationListQuery>;

export const applicationRemoval = Type.Object({
  cascade: Type.Optional(
    looseBoolean({
      default: false,
      description: 'true deletes the endpoints to which it is attached; otherwise they stay, without it.',
    }),
  ),
  new_endpoint_application: Type.Optional(
    applicationId({ description: 'Application that the endpoints get instead; not with cascade=true.' }),
  ),
});
export type ApplicationRemoval = Static<typeof applicationRemoval>;

export const createdApplication = Type.Object({
  api_id: apiId,
  app_id: Type.String({ examples: ['21686794894743506'] }),
  message: Type.String({ examples: ['created'] }),
});

const shownMethod = Type.Union([Type.Literal('GET'), Type.Literal('POST')]);

export const application = Type.Object(
  {
    app_id: Type.String(),
    app_name: Type.String(),
    answer_url: Type.String(),
    answer_method: shownMethod,
    hangup_url: Type.String(),
    hangup_method: shownMethod,
    fallback_answer_url: Type.String({ description: 'Empty when there is none.' }),
    fallback_method: shownMethod,
    message_url: Type.String({ description: 'Empty when there is none.' }),
    message_method: shownMethod,
    default_app: Type.Boolean({ description: 'What default_number_app has set.' }),
    default_endpoint_app: Type.Boolean(),
    public_uri: Type.Boolean(),
    enabled: Type.Boolean({ description: 'Always true: an application cannot be disabled.' }),
    log_incoming_messages: Type.Boolean(),
    sip_uri: Type.String({ examples: ['sip:21686794894743506@app.sip.localhost'] }),
    sub_account: Type.Union([Type.String(), Type.Null()], {
      description: 'URI of the subaccount that owns the application.',
    }),
    resource_uri: Type.String(),
  },
  { title: 'Application' },
);
export type Application = Static<typeof application>;

export const applicationBody = Type.Object({ api_id: apiId, ...application.properties });
export const applicationList = listBody(application);
