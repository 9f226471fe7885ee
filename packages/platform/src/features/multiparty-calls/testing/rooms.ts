import assert from 'node:assert/strict';
import type { Caller, SimulatedWorld } from '@jackfield/testkit';

export const agent = { role: 'agent', from: '+12025550199', to: '+12025550100' };
export const customer = { ...agent, role: 'customer', to: '+12025550101' };
export const supervisor = { ...agent, role: 'supervisor', to: '+12025550102' };

const pathOf = (name: string) => `MultiPartyCall/name_${encodeURIComponent(name)}/Participant/`;

/** Adds a participant over HTTP, whose phone is then dialled; gives the call UUID. */
export async function add(
  world: SimulatedWorld,
  name: string,
  fields: object = {},
  as: Caller = world.main,
): Promise<string> {
  const { status, body } = await world.call('POST', pathOf(name), { body: { ...agent, ...fields }, as });
  assert.equal(status, 201, JSON.stringify(body));
  await world.advance(0);
  return body.calls[0].call_uuid;
}

/** Adds a participant whose phone answers. */
export async function join(
  world: SimulatedWorld,
  name: string,
  fields?: object,
  as?: Caller,
): Promise<string> {
  const leg = await add(world, name, fields, as);
  world.telephony.pickUp(leg);
  await world.advance(0);
  return leg;
}

/** member_id of a call in a live multiparty call. */
export async function memberOf(world: SimulatedWorld, name: string, callUuid: string): Promise<string> {
  const { body } = await world.api('GET', `${pathOf(name)}?call_uuid=${callUuid}`);
  return body.objects[0].member_id;
}
