import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  type Caller,
  type CustomerRequest,
  inSimulatedWorld,
  type PhoneCall,
  type SimulatedWorld,
} from '@jackfield/testkit';
import { requestsTo, response } from './testing/documents.ts';

const number = '+442079460100';
const answer_url = 'https://customer.example.com/answer';
const carrier = {
  name: 'alpha',
  host: '10.0.2.1',
  prefixes: [{ prefix: '44' }],
  caps: { concurrent_calls: 10 },
  probe_seconds: 0,
};

async function created(world: SimulatedWorld, as: Caller, path: string, body: object): Promise<string> {
  const answer = await world.call('POST', path, { body, as });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const [id] = Object.entries(answer.body).filter(([name]) => /_(?:uu)?id$/.test(name) && name !== 'api_id');
  return String(id?.[1]);
}

/** Two subaccounts; the second one's application answers its number with this document. */
async function openNeighbours(world: SimulatedWorld, document: string) {
  const [caller, holder] = [await world.subaccount('caller'), await world.subaccount('holder')];
  world.customer.serve(answer_url, document);
  const app = await created(world, holder, 'Application/', { app_name: 'answers', answer_url });
  await created(world, world.main, 'Number/', { number, subaccount: holder.authId });
  assert.equal(
    (await world.call('POST', `Number/${number}/`, { body: { app_id: app }, as: holder })).status,
    202,
  );
  const ann = await world.phone('ann', { subaccount: caller.authId });
  return { caller, holder, app, ann };
}

/** docs/interface/signatures.md: a POST is signed with the token of its account. */
function isSignedBy({ authToken }: Caller, { url, fields, headers }: CustomerRequest): boolean {
  const form = Object.keys(fields)
    .toSorted()
    .map((name) => name + fields[name])
    .join('');
  const text = `${url}?${form}.${headers['X-Service-Signature-V3-Nonce']}`;
  const signature = createHmac('sha256', authToken).update(text).digest('base64');
  return headers['X-Service-Signature-V3'] === signature;
}

const over = (world: SimulatedWorld, call: PhoneCall) =>
  world.until('the call is over', () => call.end !== undefined, 60_000);

const callsOf = async (world: SimulatedWorld, as: Caller): Promise<readonly string[]> =>
  (await world.call('GET', 'Call/', { as })).body.objects.map(
    ({ call_direction, to_number }: Record<string, string>) => `${call_direction} ${to_number}`,
  );

describe('a call that the application of another account answers', () => {
  it('belongs to that account: its document reaches none of the phones of the caller, and is signed with its token', () =>
    inSimulatedWorld({ seed: 301 }, async (world) => {
      const ended = 'https://customer.example.com/ended';
      const { caller, holder, app, ann } = await openNeighbours(world, '');
      const bob = await world.phone('bob', { subaccount: caller.authId });
      const own = await world.phone('own', { subaccount: holder.authId });
      world.customer.serve(
        answer_url,
        response(
          `<Dial action="${ended}"><User>sip:${bob.username}@sip.example.com</User></Dial>`,
          `<Dial><User>sip:${own.username}@sip.example.com</User></Dial>`,
        ),
      );
      world.customer.serve(ended, response(`<Dial><User>sip:${own.username}@sip.example.com</User></Dial>`));
      for (const dialled of [number, app]) {
        const call = ann.dial(dialled);
        await world.until('the phone of the holder answers', () => call.answeredAt !== undefined);
        assert.equal(bob.call, undefined);
        ann.hangUp();
        await over(world, own.call!);
      }
      assert.deepEqual(await callsOf(world, caller), []);
      assert.equal((await callsOf(world, holder)).filter((each) => each.startsWith('inbound')).length, 2);
      const asked = requestsTo(world, answer_url);
      assert.ok(asked.length >= 2);
      for (const request of asked) assert.ok(isSignedBy(holder, request));
    }));

  it('is refused while that account is disabled', () =>
    inSimulatedWorld({ seed: 302 }, async (world) => {
      const { holder, app } = await openNeighbours(world, response('<Hangup reason="busy"/>'));
      const body = { name: 'holder', enabled: false };
      assert.equal((await world.call('POST', `Subaccount/${holder.authId}/`, { body })).status, 202);
      const mia = await world.phone('mia');
      for (const dialled of [number, app]) {
        const call = mia.dial(dialled);
        await over(world, call);
        assert.equal(call.end && 'status' in call.end && call.end.status, 403);
      }
      assert.deepEqual(requestsTo(world, answer_url), []);
    }));

  it('belongs to that account where the main account has attached its application to a phone or a number of its own', () =>
    inSimulatedWorld({ seed: 305, carriers: [carrier] }, async (world) => {
      const { holder, app } = await openNeighbours(world, response('<Hangup reason="busy"/>'));
      const gateway = world.gateway(carrier.name, carrier.host);
      const sales = await world.phone('sales');
      const { objects } = (await world.call('GET', 'Endpoint/')).body;
      const { endpoint_id } = objects.find(({ alias }: { alias: string }) => alias === 'sales');
      await world.call('POST', `Endpoint/${endpoint_id}/`, { body: { app_id: app } });
      await created(world, world.main, 'Number/', { number: '+442079460101', app_id: app });
      for (const call of [sales.dial('100'), gateway.dial('+442079460101')]) {
        await over(world, call);
        assert.equal(call.end && 'status' in call.end && call.end.status, 486);
      }
      const ofHolder = (await callsOf(world, holder)).toSorted();
      assert.deepEqual(ofHolder, ['inbound +442079460101', 'inbound 100']);
      for (const request of requestsTo(world, answer_url)) assert.ok(isSignedBy(holder, request));
    }));

  it('belongs to the present account of an application that has moved, and is refused while that one is disabled', () =>
    inSimulatedWorld({ seed: 306 }, async (world) => {
      const { caller, holder, app } = await openNeighbours(world, response('<Hangup reason="busy"/>'));
      const moved = { subaccount: caller.authId };
      assert.equal((await world.call('POST', `Application/${app}/`, { body: moved })).status, 202);
      const mia = await world.phone('mia');
      await over(world, mia.dial(number));
      assert.equal((await callsOf(world, caller)).length, 1);
      assert.deepEqual(await callsOf(world, holder), []);
      const body = { name: 'caller', enabled: false };
      assert.equal((await world.call('POST', `Subaccount/${caller.authId}/`, { body })).status, 202);
      const refused = mia.dial(number);
      await over(world, refused);
      assert.equal(refused.end && 'status' in refused.end && refused.end.status, 403);
    }));

  it('belongs to the caller where the application of its endpoint answers', () =>
    inSimulatedWorld({ seed: 303 }, async (world) => {
      const { caller, ann } = await openNeighbours(world, response('<Hangup/>'));
      const own = 'https://customer.example.com/own';
      world.customer.serve(own, response('<Hangup reason="busy"/>'));
      const app_id = await created(world, caller, 'Application/', { app_name: 'own', answer_url: own });
      const [endpoint] = (await world.call('GET', 'Endpoint/', { as: caller })).body.objects;
      await world.call('POST', `Endpoint/${endpoint.endpoint_id}/`, { body: { app_id }, as: caller });
      const call = ann.dial(number);
      await over(world, call);
      assert.equal((await callsOf(world, caller)).length, 1);
      assert.deepEqual(requestsTo(world, answer_url), []);
    }));

  it('belongs to that account from a trunk too, whose own record stays with its owner', () =>
    inSimulatedWorld({ seed: 304 }, async (world) => {
      const { caller, holder } = await openNeighbours(world, response('<Hangup reason="busy"/>'));
      const login = { username: 'pbx', password: 'the secret of the pbx', from: '+12025559999' };
      const credential_uuid = await created(world, caller, 'SipTrunk/Credential/', {
        username: login.username,
        password: login.password,
      });
      const trunk = { trunk_direction: 'outbound', credential_uuid };
      const path = `SipTrunk/Trunk/${await created(world, caller, 'SipTrunk/Trunk/', trunk)}/`;
      const { trunk_domain: domain } = (await world.call('GET', path, { as: caller })).body;
      const office = await world.phone('office');
      const call = office.dial(number, { ...login, domain });
      await over(world, call);
      assert.equal((await callsOf(world, holder)).length, 1);
      assert.deepEqual(await callsOf(world, caller), []);
      const { objects } = (await world.call('GET', 'SipTrunk/Call/', { as: caller })).body;
      assert.equal(objects.length, 1);
    }));
});
