import { type Static, Type } from 'typebox';
import { applicationId } from './applications.ts';
import { apiId, listBody } from './envelopes.ts';
import { pathId, text } from './primitives.ts';

const password = text({
  minLength: 5,
  maxLength: 100,
  allowed: '5 to 100 characters without control characters',
  writeOnly: true,
  description: 'Password with which the phone registers. Kept only as digests.',
});

const alias = text({
  maxLength: 100,
  pattern: '^[A-Za-z0-9_-]*$',
  allowed: '1 to 100 letters (A-Z, a-z), digits, hyphens and underscores',
  description: 'A name for people to read.',
});

const appId = applicationId({
  description:
    'Application that handles the calls of the endpoint. A new endpoint without it gets the one with default_endpoint_app.',
});

export const endpointPath = Type.Object({
  endpoint_id: pathId({ description: 'Identifier of the endpoint.' }),
});

export const newEndpoint = Type.Object({
  username: text({
    maxLength: 25,
    pattern: '^[A-Za-z][A-Za-z0-9]*$',
    allowed: '1 to 25 letters (A-Z, a-z) and digits, starting with a letter',
    description: 'Beginning of the SIP user name; 12 digits are appended.',
  }),
  password,
  alias,
  app_id: Type.Optional(appId),
});
export type NewEndpoint = Static<typeof newEndpoint>;

export const endpointChanges = Type.Object({
  password: Type.Optional(password),
  alias: Type.Optional(alias),
  app_id: Type.Optional(
    Type.Unsafe<string | null>({
      anyOf: [{ type: 'string', maxLength: 32 }, { type: 'null' }],
      'x-allowed': 'the identifier of one of your applications, or null for none',
      description: 'Application that handles the calls of the endpoint; null or an empty text takes it away.',
    }),
  ),
});
export type EndpointChanges = Static<typeof endpointChanges>;

export const createdEndpoint = Type.Object({
  api_id: apiId,
  message: Type.String({ examples: ['created'] }),
  endpoint_id: Type.String({ examples: ['83742911018273'] }),
  username: Type.String({ description: 'With 12 digits appended.', examples: ['alice261121104205'] }),
  alias: Type.String(),
});

export const endpoint = Type.Object(
  {
    endpoint_id: Type.String(),
    username: Type.String(),
    alias: Type.String(),
    sip_uri: Type.String({ examples: ['sip:alice261121104205@sip.localhost'] }),
    sip_registered: Type.Union([Type.Literal('true'), Type.Literal('false')]),
    sip_contact: Type.Optional(
      Type.String({ description: 'Contact of the newest registration; absent while not registered.' }),
    ),
    sip_expires: Type.Optional(
      Type.String({ description: 'YYYY-MM-DD HH:mm:ss in UTC; absent while not registered.' }),
    ),
    sip_user_agent: Type.Optional(Type.String({ description: 'Absent while not registered.' })),
    application: Type.Union([Type.String(), Type.Null()], {
      description: 'Path of the application; null where the account does not see it.',
    }),
    sub_account: Type.Union([Type.String(), Type.Null()], {
      description: 'URI of the subaccount that owns the endpoint.',
    }),
    resource_uri: Type.String(),
  },
  { title: 'SIP endpoint' },
);
export type Endpoint = Static<typeof endpoint>;

export const endpointBody = Type.Object({
  api_id: apiId,
  ...endpoint.properties,
  password: Type.String({ description: 'MD5 of the password, in hex.' }),
});
export const endpointList = listBody(endpoint);

/** One device on which an endpoint is registered. */
export const endpointRegistration = Type.Object(
  {
    contact: Type.String({ description: 'SIP URI at which the device is called.' }),
    transport: Type.Union([Type.String(), Type.Null()], {
      description: 'udp, tcp, tls, ws or wss; null for a registration of an earlier release.',
    }),
    source: Type.Union([Type.String(), Type.Null()], {
      description:
        'Address and port from which it registered; null for a registration of an earlier release.',
      examples: ['192.0.2.7:50412'],
    }),
    user_agent: Type.String({ description: 'Name that the device gives itself; may be empty.' }),
    instance: Type.Union([Type.String(), Type.Null()], {
      description: 'URN that identifies the device across its registrations; null where it has none.',
    }),
    registered: Type.String({ description: 'When it registered first, YYYY-MM-DD HH:mm:ss in UTC.' }),
    expires: Type.String({ description: 'When the registration ends, YYYY-MM-DD HH:mm:ss in UTC.' }),
  },
  { title: 'Registration' },
);
export type EndpointRegistration = Static<typeof endpointRegistration>;

export const endpointRegistrations = Type.Object({
  api_id: apiId,
  objects: Type.Array(endpointRegistration, { description: 'The newest registration first.' }),
});
