import { type Static, Type } from 'typebox';
import { apiId } from '../envelopes.ts';

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
    state: Type.String({ description: 'connected, disconnected or unknown.' }),
    problem: textOrNull('Why it is not usable; null where it is.'),
  },
  { title: 'Message gateway' },
);
export type OperatedGateway = Static<typeof operatedGateway>;
export const operatedGateways = Type.Object({ api_id: apiId, objects: Type.Array(operatedGateway) });

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
