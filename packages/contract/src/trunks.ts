import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { apiId, listBody, pageQuery } from './envelopes.ts';
import { type Described, looseBoolean, looseEnum, looseInteger } from './loose.ts';
import { pathId, text } from './primitives.ts';

export const trunkDirections = ['inbound', 'outbound'] as const;
export const trunkStatuses = ['enabled', 'disabled'] as const;

/** A week: longer than any roll-out of a new password should take. */
const maxPasswordOverlap = 604_800;
const maxListedAddresses = 100;

const name = Type.Optional(text({ minLength: 0, maxLength: 100, description: 'A name for people to read.' }));

// What a quoted string of RFC 3261 §25.1 holds without escapes; a colon would end the name inside HA1 (RFC 7616 §3.4.2).
const username = text({
  maxLength: 100,
  pattern: '^[!#-9;-\\[\\]-~]*$',
  allowed: '1 to 100 visible ASCII characters without colon, double quote and backslash',
  description: 'SIP digest username.',
});

const password = text({
  minLength: 1,
  maxLength: 100,
  allowed: '1 to 100 characters without control characters',
  writeOnly: true,
  description: 'SIP digest password. Kept as digests and encrypted, and never returned.',
});

const message = (example: string) => Type.String({ examples: [example] });

export const credentialPath = Type.Object({
  credential_uuid: pathId({ description: 'Identifier of the credential.' }),
});

/** The platform checks required parameters itself: a missing one is answered with 422, not 400. */
export const newCredential = Type.Object({
  name,
  username: Type.Optional(username),
  password: Type.Optional(password),
});
export type NewCredential = Static<typeof newCredential>;

export const credentialChanges = Type.Object({
  ...newCredential.properties,
  password_overlap: Type.Optional(
    looseInteger({
      minimum: 0,
      maximum: maxPasswordOverlap,
      default: 0,
      description: 'Seconds during which username and password before this change are accepted as well.',
    }),
  ),
});
export type CredentialChanges = Static<typeof credentialChanges>;

export const credential = Type.Object(
  {
    credential_uuid: Type.String(),
    name: Type.String(),
    username: Type.String(),
    previous_password_until: Type.Optional(
      Type.String({ description: 'YYYY-MM-DD HH:mm:ss in UTC; only while the password before is accepted.' }),
    ),
  },
  { title: 'Trunk credential' },
);
export type TrunkCredential = Static<typeof credential>;
export const credentialBody = Type.Object({ api_id: apiId, ...credential.properties });
export const credentialList = listBody(credential);
export const writtenCredential = Type.Object({
  api_id: apiId,
  message: message('credential created successfully.'),
  credential_uuid: Type.String(),
});

export const addressListPath = Type.Object({
  ipacl_uuid: pathId({ description: 'Identifier of the IP access control list.' }),
});

/** Each entry is looked at by the platform. */
const addresses = Type.Unsafe<string[]>({
  type: 'array',
  items: { type: 'string', maxLength: 49 },
  minItems: 1,
  maxItems: maxListedAddresses,
  'x-allowed': `a list of 1 to ${maxListedAddresses} texts that are IP addresses or networks, such as ["192.0.2.1", "192.0.2.0/24"]`,
  description:
    'Addresses (192.0.2.1) and networks (192.0.2.0/24) from which calls are taken without a password.',
});

export const newAddressList = Type.Object({ name, ip_addresses: Type.Optional(addresses) });
export type NewAddressList = Static<typeof newAddressList>;

export const addressList = Type.Object(
  { ipacl_uuid: Type.String(), name: Type.String(), ip_addresses: Type.Array(Type.String()) },
  { title: 'IP access control list' },
);
export type AddressList = Static<typeof addressList>;
export const addressListBody = Type.Object({ api_id: apiId, ...addressList.properties });
export const addressListList = listBody(addressList);
export const writtenAddressList = Type.Object({
  api_id: apiId,
  message: message('IP access control list created successfully.'),
  ipacl_uuid: Type.String(),
});

export const originationUriPath = Type.Object({
  uri_uuid: pathId({ description: 'Identifier of the origination URI.' }),
});

// An address or a name with an optional port, or a SIP URI of them.
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const octet = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
// The last label of a name holds a letter (RFC 3696 §2), so that four numbers are an address or nothing.
const host = `(?:${octet}(?:\\.${octet}){3}|(?:${label}\\.)*(?=[0-9-]*[A-Za-z])${label}\\.?|\\[[0-9A-Fa-f:.]{2,45}\\])`;
const portNumber = '(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})';
const hostPort = `${host}(?::${portNumber})?`;
const sipUser = "(?:[A-Za-z0-9\\-_.!~*'()&=+$,;?/]|%[0-9A-Fa-f]{2}){1,128}";

export const newOriginationUri = Type.Object({
  name,
  uri: Type.Optional(
    text({
      maxLength: 512,
      pattern: `^(?:${hostPort}|[sS][iI][pP][sS]?:(?:${sipUser}@)?${hostPort})(?:;transport=(?:[uU][dD][pP]|[tT][cC][pP]|[tT][lL][sS]))?$`,
      allowed:
        'an address or a host name with an optional port (1 to 65535), or sip:user@host, perhaps with ;transport=tcp or ;transport=tls, and IPv6 in brackets',
      description:
        'Where calls are sent: 192.0.2.1, 192.0.2.1:5080, pbx.example.com or sip:user@pbx.example.com, over UDP unless ;transport=tcp or ;transport=tls follows.',
    }),
  ),
  authentication_needed: Type.Optional(
    looseBoolean({
      default: false,
      description: 'Whether the other side asks for a username and a password.',
    }),
  ),
  username: Type.Optional(username),
  password: Type.Optional(
    text({
      maxLength: 100,
      allowed: '1 to 100 characters without control characters',
      writeOnly: true,
      description: 'Password that the other side asks for. Kept encrypted, and never returned.',
    }),
  ),
});
export type NewOriginationUri = Static<typeof newOriginationUri>;

export const originationUri = Type.Object(
  {
    uri_uuid: Type.String(),
    name: Type.String(),
    uri: Type.String(),
    authentication_needed: Type.Boolean(),
    username: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'Origination URI' },
);
export type OriginationUri = Static<typeof originationUri>;
export const originationUriBody = Type.Object({ api_id: apiId, ...originationUri.properties });
export const originationUriList = listBody(originationUri);
export const writtenOriginationUri = Type.Object({
  api_id: apiId,
  message: message('Origination URI created successfully.'),
  uri_uuid: Type.String(),
});

export const trunkPath = Type.Object({ trunk_id: pathId({ description: 'Identifier of the trunk.' }) });

/** A reference to another resource; null or an empty text takes it back. */
function reference(options: Described): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({
    anyOf: [{ type: 'string', maxLength: 36 }, { type: 'null' }],
    'x-allowed': 'the identifier of one of your resources, or null for none',
    ...options,
  });
}

const references = {
  ipacl_uuid: Type.Optional(reference({ description: 'IP access control list of an outbound trunk.' })),
  credential_uuid: Type.Optional(reference({ description: 'Credential of an outbound trunk.' })),
  primary_uri_uuid: Type.Optional(reference({ description: 'Where calls of an inbound trunk are sent.' })),
  fallback_uri_uuid: Type.Optional(
    reference({ description: 'Where they are sent when the primary URI does not answer.' }),
  ),
};
const direction = looseEnum(trunkDirections, {
  description: 'inbound: from the platform to your system; outbound: from your system to the platform.',
});
const status = looseEnum(trunkStatuses, {
  default: 'enabled',
  description: 'Calls of a disabled trunk are refused.',
});
const secure = looseBoolean({ default: false, description: 'Take and send calls over TLS alone.' });

export const newTrunk = Type.Object({
  name,
  trunk_direction: Type.Optional(direction),
  trunk_status: Type.Optional(status),
  secure: Type.Optional(secure),
  ...references,
});
export type NewTrunk = Static<typeof newTrunk>;

const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()]);

const trunk = Type.Object(
  {
    trunk_id: Type.String({ examples: ['74839201746538291'] }),
    name: Type.String(),
    trunk_domain: Type.String({ examples: ['74839201746538291.zt.sip.localhost'] }),
    trunk_status: Type.Union([Type.Literal('enabled'), Type.Literal('disabled')]),
    trunk_direction: Type.Union([Type.Literal('inbound'), Type.Literal('outbound')]),
    secure: Type.Boolean(),
    ipacl_uuid: orNull(Type.String()),
    credential_uuid: orNull(Type.String()),
    primary_uri_uuid: orNull(Type.String()),
    fallback_uri_uuid: orNull(Type.String()),
    lost_credential_uuid: orNull(
      Type.String({
        description: 'The credential that it had when that was deleted, until it gets another one.',
      }),
    ),
  },
  { title: 'Trunk' },
);

export interface Trunk {
  readonly trunk_id: string;
  readonly name: string;
  readonly trunk_domain: string;
  readonly trunk_status: (typeof trunkStatuses)[number];
  readonly trunk_direction: (typeof trunkDirections)[number];
  readonly secure: boolean;
  readonly ipacl_uuid: string | null;
  readonly credential_uuid: string | null;
  readonly primary_uri_uuid: string | null;
  readonly fallback_uri_uuid: string | null;
  readonly lost_credential_uuid: string | null;
}

export const trunkBody = Type.Object({ api_id: apiId, ...trunk.properties });
export const trunkList = listBody(trunk);
export const writtenTrunk = Type.Object({
  api_id: apiId,
  message: message('Trunk created successfully.'),
  trunk_id: Type.String(),
});

const referenceFilter = Type.Optional(
  text({ maxLength: 36, description: 'Trunks that have this one only.' }),
);

export const trunkListQuery = Type.Object({
  ...pageQuery,
  trunk_status: Type.Optional(looseEnum(trunkStatuses, { description: 'Trunks of this status only.' })),
  trunk_direction: Type.Optional(
    looseEnum(trunkDirections, { description: 'Trunks of this direction only.' }),
  ),
  secure: Type.Optional(looseBoolean({ description: 'Trunks that are, or are not, secure only.' })),
  ipacl_uuid: referenceFilter,
  credential_uuid: referenceFilter,
  primary_uri_uuid: referenceFilter,
  fallback_uri_uuid: referenceFilter,
  lost_credential_uuid: Type.Optional(
    text({ maxLength: 36, description: 'Trunks that had this credential when it was deleted only.' }),
  ),
});
export type TrunkListQuery = Static<typeof trunkListQuery>;

/** Query of the lists that have no filters. */
export const trunkPageQuery = Type.Object(pageQuery);
