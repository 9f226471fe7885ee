import assert from 'node:assert/strict';
import { type Caller, eventStreamOf, type OpenDatabase, openSimulatedWorld } from '@jackfield/testkit';

export const realm = 'sip.example.com';

/** A simulated world, with a word for each part of a trunk. */
export async function openTrunks(open: OpenDatabase) {
  const world = await openSimulatedWorld({ database: open });

  async function create(path: string, body: object, as: Caller = world.main): Promise<string> {
    const answer = await world.call('POST', path, { body, as });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const id = Object.keys(answer.body).find((name) => /_(?:uu)?id$/.test(name) && name !== 'api_id')!;
    return answer.body[id];
  }

  return {
    world,
    call: world.call,
    database: world.node.database,
    access: world.node.ports.trunks,
    credential: (fields: object = {}, as?: Caller) =>
      create('SipTrunk/Credential/', { username: 'pbx', password: 'secret', ...fields }, as),
    addressList: (...ip_addresses: string[]) => create('SipTrunk/IPAccessControlList/', { ip_addresses }),
    uri: (fields: object = {}) => create('SipTrunk/URI/', { uri: 'pbx.example.net', ...fields }),
    trunk: (fields: object, as?: Caller) =>
      create('SipTrunk/Trunk/', { trunk_direction: 'outbound', ...fields }, as),
    /** The events of the main account. */
    async events() {
      return (await eventStreamOf(world)).map(({ type, resource, data }) => ({ type, resource, data }));
    },
  };
}

export type TrunksWorld = Awaited<ReturnType<typeof openTrunks>>;
