import { type Static, Type } from 'typebox';
import { callListQuery, callRecord } from './calls.ts';
import { apiId, listBody } from './envelopes.ts';
import { pathId, text } from './primitives.ts';

export const trunkCallPath = Type.Object({
  call_uuid: pathId({ description: 'call_uuid of a call through a trunk.' }),
});

const { status: _, stir_verification: __, parent_call_uuid: ___, ...filters } = callListQuery.properties;

/** The filters of calls that say something of calls through trunks, and the trunk. */
export const trunkCallListQuery = Type.Object({
  ...filters,
  trunk_id: Type.Optional(text({ maxLength: 36, description: 'Calls through this trunk only.' })),
});
export type TrunkCallListQuery = Static<typeof trunkCallListQuery>;

export const trunkCallRecord = Type.Object(
  {
    ...callRecord.properties,
    trunk_id: Type.String({ examples: ['74839201746538291'] }),
    trunk_domain: Type.String({ examples: ['74839201746538291.zt.sip.localhost'] }),
    trunk_direction: Type.Unsafe<'inbound' | 'outbound'>({
      type: 'string',
      enum: ['inbound', 'outbound'],
      description:
        'Of the trunk: outbound for a call from your telephone system to the platform, whose call_direction is inbound.',
    }),
  },
  { title: 'Call through a trunk' },
);
export type TrunkCallRecord = Static<typeof trunkCallRecord>;
export const trunkCallBody = Type.Object({ api_id: apiId, ...trunkCallRecord.properties });
export const trunkCallList = listBody(trunkCallRecord);
