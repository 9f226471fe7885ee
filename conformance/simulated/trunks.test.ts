import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  inSimulatedWorld,
  type PhoneCall,
  type SimulatedPhone,
  type SimulatedWorld,
  toneMeter,
} from '@jackfield/testkit';

const number = '+442079460100';
const digits = number.slice(1);

async function created(world: SimulatedWorld, path: string, body: object): Promise<string> {
  const answer = await world.api('POST', path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const [id] = Object.entries(answer.body).filter(([name]) => /_(?:uu)?id$/.test(name) && name !== 'api_id');
  return String(id?.[1]);
}

/** A number whose calls go to these phones, as telephone systems behind an inbound trunk; returns the trunk. */
async function numberLeadsTo(world: SimulatedWorld, ...hosts: readonly string[]): Promise<string> {
  const uris: string[] = [];
  for (const host of hosts) uris.push(await created(world, 'SipTrunk/URI/', { uri: host }));
  const trunk = await created(world, 'SipTrunk/Trunk/', {
    trunk_direction: 'inbound',
    primary_uri_uuid: uris[0],
    ...(uris[1] === undefined ? {} : { fallback_uri_uuid: uris[1] }),
  });
  assert.equal((await world.api('POST', 'Number/', { number, trunk_id: trunk })).status, 201);
  return trunk;
}

async function outboundTrunk(world: SimulatedWorld) {
  const credential = await created(world, 'SipTrunk/Credential/', {
    username: 'pbx',
    password: 'the secret of the pbx',
  });
  const trunk = await created(world, 'SipTrunk/Trunk/', {
    trunk_direction: 'outbound',
    credential_uuid: credential,
  });
  const { trunk_domain } = (await world.api('GET', `SipTrunk/Trunk/${trunk}/`)).body;
  return {
    trunk,
    credential,
    login: {
      domain: trunk_domain,
      username: 'pbx',
      password: 'the secret of the pbx',
      from: '+12025559999',
    },
  };
}

/** Whether both hear each other, for a while. */
async function talk(
  world: SimulatedWorld,
  one: [SimulatedPhone, PhoneCall],
  other: [SimulatedPhone, PhoneCall],
) {
  const hears = ([, call]: [SimulatedPhone, PhoneCall], [{ toneHz }]: [SimulatedPhone, PhoneCall]) => {
    const meter = toneMeter(toneHz);
    return call.heard.filter(({ samples }) => meter(samples) > -40).length > 10;
  };
  await world.until('both hear each other', () => hears(one, other) && hears(other, one), 10_000);
}

async function ended(world: SimulatedWorld, call: PhoneCall) {
  await world.until('the call is over', () => call.end !== undefined, 60_000);
  return call.end;
}

async function trunkCalls(world: SimulatedWorld, query = '') {
  return (await world.api('GET', `SipTrunk/Call/${query}`)).body.objects;
}

async function eventsOf(world: SimulatedWorld, type: string) {
  const rows = await world.node.database.read
    .withTables<{ outbox: { type: string; payload: string } }>()
    .selectFrom('outbox')
    .selectAll()
    .where('type', '=', type)
    .execute();
  return rows.map(({ payload }) => JSON.parse(payload));
}

describe('a number of an inbound trunk', () => {
  it('is called at the primary URI, with the number as user, and its call has a record of the trunk', () =>
    inSimulatedWorld({ seed: 71 }, async (world) => {
      const [ann, pbx] = [await world.phone('ann'), await world.phone('pbx')];
      const trunk = await numberLeadsTo(world, pbx.address);
      const call = ann.dial(number);
      await world.until('the telephone system is called', () => pbx.call !== undefined);
      await talk(world, [ann, call], [pbx, pbx.call!]);
      ann.hangUp();
      await ended(world, pbx.call!);
      await world.until('the record', async () => (await trunkCalls(world)).length === 1);
      const [record] = await trunkCalls(world, `?trunk_id=${trunk}&to_number=${encodeURIComponent(number)}`);
      assert.deepEqual(
        [
          record.trunk_id,
          record.trunk_direction,
          record.call_direction,
          record.to_number,
          record.hangup_cause_code,
        ],
        [trunk, 'inbound', 'outbound', number, 4000],
      );
      assert.deepEqual((await world.api('GET', `Zentrunk/Call/${record.call_uuid}/`)).body.trunk_id, trunk);
      assert.deepEqual(await trunkCalls(world, '?trunk_id=1'), []);
    }));

  for (const [what, behaviour, reason] of [
    ['answers 503', { does: 'reject', status: 503 }, 'rejected'],
    ['answers 408', { does: 'reject', status: 408 }, 'rejected'],
    ['says nothing for 8 s', { does: 'nothing' }, 'silent'],
  ] as const) {
    it(`is called at the fallback URI when the primary ${what}, and an event says why`, () =>
      inSimulatedWorld({ seed: 72 }, async (world) => {
        const ann = await world.phone('ann');
        const [primary, fallback] = [await world.phone('pbx'), await world.phone('spare')];
        primary.behaviour = behaviour;
        const trunk = await numberLeadsTo(world, primary.address, fallback.address);
        const call = ann.dial(number);
        await world.until('the fallback is called', () => fallback.call !== undefined, 12_000);
        await talk(world, [ann, call], [fallback, fallback.call!]);
        assert.equal(primary.invites, 1);
        ann.hangUp();
        await ended(world, fallback.call!);
        const [reported, ...more] = await eventsOf(world, 'trunk.uri-failed');
        assert.deepEqual(
          [reported.trunk_id, reported.role, reported.reason, more],
          [trunk, 'primary', reason, []],
        );
      }));
  }

  for (const status of [486, 603]) {
    it(`is not called elsewhere when the primary answers ${status}: that is what the caller hears`, () =>
      inSimulatedWorld({ seed: 73 }, async (world) => {
        const ann = await world.phone('ann');
        const [primary, fallback] = [await world.phone('pbx'), await world.phone('spare')];
        primary.behaviour = { does: 'reject', status };
        await numberLeadsTo(world, primary.address, fallback.address);
        const end = await ended(world, ann.dial(number));
        assert.deepEqual([end?.by, end && 'status' in end && end.status], ['rejected', status]);
        assert.equal(fallback.invites, 0);
        assert.deepEqual(await eventsOf(world, 'trunk.uri-failed'), []);
      }));
  }

  it('is called nowhere while its trunk is disabled, and leads nowhere when the trunk is deleted', () =>
    inSimulatedWorld({ seed: 74 }, async (world) => {
      const [ann, pbx] = [await world.phone('ann'), await world.phone('pbx')];
      const trunk = await numberLeadsTo(world, pbx.address);
      const statusOfCall = async () => {
        const end = await ended(world, ann.dial(number));
        return end && 'status' in end && end.status;
      };
      await world.api('POST', `SipTrunk/Trunk/${trunk}/`, { trunk_status: 'disabled' });
      assert.equal(await statusOfCall(), 480);
      assert.equal((await world.api('DELETE', `SipTrunk/Trunk/${trunk}/`)).status, 204);
      assert.equal(await statusOfCall(), 404);
      assert.equal(pbx.invites, 0);
      assert.equal((await world.api('GET', `Number/${digits}/`)).body.trunk_id, null);
      const [reported] = await eventsOf(world, 'trunk.deleted');
      assert.deepEqual([reported.trunk_id, reported.number_list], [trunk, [number]]);
    }));

  it('sends nothing to an address that is closed to customers', () =>
    inSimulatedWorld({ seed: 75 }, async (world) => {
      const ann = await world.phone('ann');
      const invites: string[] = [];
      const detach = world.network.attach({ address: '10.9.0.1', port: 5060 }, (payload) =>
        invites.push(Buffer.from(payload).toString('latin1')),
      );
      await numberLeadsTo(world, '10.9.0.1');
      const end = await ended(world, ann.dial(number));
      assert.equal(end?.by, 'rejected');
      detach();
      assert.deepEqual(invites, []);
      const [reported] = await eventsOf(world, 'trunk.uri-failed');
      assert.equal(reported.reason, 'transport-failed');
    }));

  it('takes a participant of a multiparty call', () =>
    inSimulatedWorld({ seed: 76 }, async (world) => {
      const pbx = await world.phone('pbx');
      await numberLeadsTo(world, pbx.address);
      const path = 'MultiPartyCall/name_room/Participant/';
      const { status } = await world.api('POST', path, { role: 'agent', from: '+12025550000', to: number });
      assert.equal(status, 201);
      await world.until('it is called', () => pbx.call?.isUp === true);
      pbx.hangUp();
      await ended(world, pbx.call!);
    }));
});

describe('a number of an application', () => {
  const answer_url = 'https://customer.example.com/answer';

  it('is answered by it: for a telephone system behind an outbound trunk, and for a phone without an application', () =>
    inSimulatedWorld({ seed: 79 }, async (world) => {
      world.customer.serve(answer_url, '<Response><Hangup reason="busy"/></Response>');
      const [office, ann] = [await world.phone('office'), await world.phone('ann')];
      const app_id = await created(world, 'Application/', { app_name: 'answers', answer_url });
      assert.equal((await world.api('POST', 'Number/', { number, app_id })).status, 201);
      const { login } = await outboundTrunk(world);
      for (const [dial, from] of [
        [() => office.dial(number, login), '+12025559999'],
        [() => ann.dial(digits), ann.username],
      ] as const) {
        const end = await ended(world, dial());
        assert.equal(end && 'status' in end && end.status, 486);
        const asked = world.customer.requests.findLast(
          ({ url, fields }) => url === answer_url && fields.From,
        );
        assert.match(asked?.fields.From ?? '', new RegExp(from.replace('+', '')));
        assert.equal(asked?.fields.Direction, 'inbound');
      }
      // It leads to the application no more, and no other destination serves it.
      await world.api('DELETE', `Application/${app_id}/`);
      const end = await ended(world, ann.dial(number));
      assert.equal(end && 'status' in end && end.status, 404);
    }));

  it('does not take the calls of an endpoint that has an application of its own', () =>
    inSimulatedWorld({ seed: 80 }, async (world) => {
      const own = 'https://customer.example.com/own';
      world.customer.serve(answer_url, '<Response><Hangup/></Response>');
      world.customer.serve(own, '<Response><Hangup reason="busy"/></Response>');
      const ann = await world.phone('ann');
      const app_id = await created(world, 'Application/', { app_name: 'answers', answer_url });
      await world.api('POST', 'Number/', { number, app_id });
      const attached = await created(world, 'Application/', { app_name: 'own', answer_url: own });
      const { objects } = (await world.api('GET', 'Endpoint/')).body;
      await world.api('POST', `Endpoint/${objects[0].endpoint_id}/`, { app_id: attached });
      await ended(world, ann.dial(number));
      assert.ok(world.customer.requests.some(({ url }) => url === own));
      assert.ok(!world.customer.requests.some(({ url }) => url === answer_url));
    }));
});

describe('an outbound trunk', () => {
  it('takes a telephone system to an endpoint and to the number of another trunk; each call has its record', () =>
    inSimulatedWorld({ seed: 77 }, async (world) => {
      const [office, ann, pbx] = [
        await world.phone('office'),
        await world.phone('ann'),
        await world.phone('pbx'),
      ];
      const { trunk, login } = await outboundTrunk(world);
      const other = await numberLeadsTo(world, pbx.address);
      const first = office.dial(ann.username, login);
      await world.until('Ann is called', () => ann.call !== undefined);
      await talk(world, [office, first], [ann, ann.call!]);
      office.hangUp();
      await ended(world, ann.call!);
      const second = office.dial(number, login);
      await world.until('the other system is called', () => pbx.call !== undefined);
      await talk(world, [office, second], [pbx, pbx.call!]);
      pbx.hangUp();
      await ended(world, second);
      await world.until('the records', async () => (await trunkCalls(world)).length === 3);
      const of = async (id: string) =>
        (await trunkCalls(world, `?trunk_id=${id}`)).map(
          ({ from_number, to_number, trunk_direction }: Record<string, string>) =>
            `${trunk_direction} ${from_number} ${to_number}`,
        );
      assert.deepEqual(await of(other), [`inbound +12025559999 ${number}`]);
      assert.deepEqual(await of(trunk), [
        `outbound +12025559999 ${number}`,
        `outbound +12025559999 ${ann.username}`,
      ]);
      assert.equal((await trunkCalls(world, '?call_direction=inbound')).length, 2);
    }));

  it('refuses a wrong password with 401 and a deleted credential with 403, emits events, and keeps no record', () =>
    inSimulatedWorld({ seed: 78 }, async (world) => {
      const [office, ann] = [await world.phone('office'), await world.phone('ann')];
      const { trunk, credential, login } = await outboundTrunk(world);
      const statusOf = async (call: PhoneCall) => {
        const end = await ended(world, call);
        return end && 'status' in end && end.status;
      };
      assert.equal(await statusOf(office.dial(ann.username, { ...login, password: 'wrong' })), 401);
      await world.api('DELETE', `SipTrunk/Credential/${credential}/`);
      assert.equal(await statusOf(office.dial(ann.username, login)), 403);
      assert.equal(ann.invites, 0);
      const reasons = (await eventsOf(world, 'trunk.call-refused')).map(({ reason }) => reason);
      assert.deepEqual(reasons, ['wrong-password', 'credential-deleted']);
      assert.deepEqual(await trunkCalls(world), []);
      const lost = (await world.api('GET', `SipTrunk/Trunk/?lost_credential_uuid=${credential}`)).body
        .objects;
      assert.deepEqual(
        lost.map(({ trunk_id, lost_credential_uuid }: Record<string, string>) => [
          trunk_id,
          lost_credential_uuid,
        ]),
        [[trunk, credential]],
      );
    }));
});
