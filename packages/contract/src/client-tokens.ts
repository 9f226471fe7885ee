import { type Static, Type } from 'typebox';
import { apiId } from './envelopes.ts';
import { looseBoolean, looseInteger } from './loose.ts';
import { text } from './primitives.ts';

/** docs/interface/client-tokens.md#issuing: a token lives 3 minutes to 24 hours. */
export const minTokenSeconds = 180;
export const maxTokenSeconds = 86_400;

// Year 3000: beyond it no clock of a client is set.
const latestEpoch = 32_503_680_000;

const epoch = (description: string) =>
  Type.Optional(looseInteger({ minimum: 0, maximum: latestEpoch, description }));

const permission = (description: string) => Type.Optional(looseBoolean({ description }));

export const newClientToken = Type.Object({
  iss: Type.Optional(
    text({ maxLength: 20, description: 'Your auth_id; clients send it although the path names it already.' }),
  ),
  sub: Type.Optional(
    text({
      minLength: 0,
      maxLength: 100,
      description:
        'Username of the endpoint that the client registers as. Without it the client can call and cannot be called.',
    }),
  ),
  nbf: epoch('Seconds since 1970 before which the token is not valid; now when left out.'),
  exp: epoch(
    'Seconds since 1970 from which on it is not valid, 3 minutes to 24 hours from now and after nbf; 24 hours when left out.',
  ),
  app: Type.Optional(
    text({
      minLength: 0,
      maxLength: 32,
      pattern: '^[0-9]*$',
      allowed: 'the identifier of one of your applications',
      description: "Application that takes the client's calls instead of that of its endpoint.",
    }),
  ),
  per: Type.Optional(
    Type.Object(
      {
        voice: Type.Optional(
          Type.Object({
            incoming_allow: permission('Whether the client can be called; needs sub.'),
            outgoing_allow: permission('Whether the client can call.'),
          }),
        ),
      },
      {
        description:
          'What the client may do. Without it both; of what is given, what is left out is not allowed.',
        'x-allowed': 'an object such as {"voice": {"incoming_allow": true, "outgoing_allow": true}}',
      },
    ),
  ),
});
export type NewClientToken = Static<typeof newClientToken>;

export const clientToken = Type.Object({
  api_id: apiId,
  token: Type.String({ description: 'JWT for the header X-Plivo-Jwt of REGISTER and INVITE.' }),
});

const iceServer = Type.Object(
  {
    urls: Type.Array(Type.String({ examples: ['turns:turn.example.com:443?transport=tcp'] })),
    username: Type.String({ description: 'The end of its validity in seconds since 1970, and the account.' }),
    credential: Type.String(),
  },
  { title: 'ICE server', description: 'As `RTCPeerConnection` takes it in `iceServers`.' },
);
export type IceServer = Static<typeof iceServer>;

export const iceServerList = Type.Object({
  api_id: apiId,
  ttl: Type.Integer({ description: 'Seconds that the credentials are valid.' }),
  ice_servers: Type.Array(iceServer),
});
