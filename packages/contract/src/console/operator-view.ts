import { type Static, Type } from 'typebox';
import { apiId, listBody, pageQuery } from '../envelopes.ts';
import { text } from '../primitives.ts';

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const operatedCarrier = Type.Object(
  {
    name: Type.String(),
    direction: Type.String({ description: 'outbound, inbound or both.' }),
    state: Type.String({ description: 'reachable, unreachable, registered, unregistered or unknown.' }),
    problem: textOrNull('Why it is not usable; null where it is.'),
    priority: Type.Union([Type.Integer(), Type.Null()]),
    live_calls: Type.Integer(),
  },
  { title: 'Carrier' },
);
export type OperatedCarrier = Static<typeof operatedCarrier>;
export const operatedCarriers = Type.Object({ api_id: apiId, objects: Type.Array(operatedCarrier) });

export const operatedGateway = Type.Object(
  {
    name: Type.String(),
    kind: Type.String({ description: 'smpp, http or sandbox-inbox.' }),
    state: Type.String({
      description: 'connected, disconnected, elsewhere (another node has the session with it) or unknown.',
    }),
    problem: textOrNull('Why it is not usable; null where it is.'),
  },
  { title: 'Message gateway' },
);
export type OperatedGateway = Static<typeof operatedGateway>;
export const operatedGateways = Type.Object({ api_id: apiId, objects: Type.Array(operatedGateway) });

export const operatedRate = Type.Object(
  {
    prefix: Type.String({
      description:
        'Leading digits of a number; empty for every number, sip for phones without one, stream for audio streams.',
    }),
    direction: Type.Unsafe<'inbound' | 'outbound' | 'both'>({
      type: 'string',
      enum: ['inbound', 'outbound', 'both'],
    }),
    currency: Type.String({ examples: ['USD'] }),
    per_minute: Type.String({ examples: ['0.00850'] }),
    initial_seconds: Type.Integer({ description: 'The least that an answered call is billed for.' }),
    increment_seconds: Type.Integer({ description: 'The steps in which the rest is billed.' }),
  },
  { title: 'Rate' },
);
export type OperatedRate = Static<typeof operatedRate>;
export const operatedRates = listBody(operatedRate);
export const operatedRatesQuery = Type.Object({
  ...pageQuery,
  number: Type.Optional(
    text({
      maxLength: 100,
      description:
        'Only the rates that fit this number, the longest prefix first; for any other text those of sip.',
      examples: ['+12025550101'],
    }),
  ),
});

export const bannedSource = Type.Object(
  {
    source_address: Type.String(),
    reason: Type.String({ description: 'failed-logins or scanner.' }),
    until: Type.String({ examples: ['2026-02-01T10:10:00.000Z'] }),
  },
  { title: 'Banned source' },
);
export type BannedSource = Static<typeof bannedSource>;
/** The newest thousand. */
export const bannedSources = Type.Object({ api_id: apiId, objects: Type.Array(bannedSource) });
