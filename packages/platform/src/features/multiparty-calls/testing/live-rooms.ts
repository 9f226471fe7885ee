import assert from 'node:assert/strict';
import { type PhoneCall, type SimulatedPhone, type SimulatedWorld, toneMeter } from '@jackfield/testkit';

export const room = 'MultiPartyCall/name_room/';
const answerUrl = 'https://customer.example.com/answer';
export const exitUrl = 'https://customer.example.com/exit';

export const document = (body: string) => `<Response>${body}</Response>`;
export const element = (attributes = '') =>
  `<MultiPartyCall role="Customer" enterSound="none" exitSound="none" ${attributes}>room</MultiPartyCall>`;

/** A phone whose calls run this document. */
export async function customer(world: SimulatedWorld, name: string, body: string): Promise<SimulatedPhone> {
  world.customer.serve(answerUrl, document(body));
  const application = await world.api('POST', 'Application/', { app_name: name, answer_url: answerUrl });
  assert.equal(application.status, 201, JSON.stringify(application.body));
  const phone = await world.phone(name);
  const { objects } = (await world.api('GET', 'Endpoint/')).body;
  const endpoint = objects.find((each: { username: string }) => each.username === phone.username);
  const { app_id } = application.body;
  assert.equal((await world.api('POST', `Endpoint/${endpoint.endpoint_id}/`, { app_id })).status, 202);
  return phone;
}

export async function add(world: SimulatedWorld, phone: SimulatedPhone, more: object = {}): Promise<string> {
  const { status, body } = await world.api('POST', `${room}Participant/`, {
    role: 'agent',
    from: '+12025550199',
    to: phone.username,
    enter_sound: 'none',
    exit_sound: 'none',
    stay_alone: true,
    ...more,
  });
  assert.equal(status, 201, JSON.stringify(body));
  await world.until(`${phone.username} is in`, () => phone.call?.isUp);
  await world.advance(100);
  return body.calls[0].call_uuid;
}

export async function dialIn(
  world: SimulatedWorld,
  phone: SimulatedPhone,
  to = 'support',
): Promise<PhoneCall> {
  const call = phone.dial(to);
  await world.until('the call is answered', () => call.isUp);
  await world.advance(200);
  return call;
}

export interface Member {
  readonly member_id: string;
  readonly call_uuid: string;
  readonly role: string;
}

export async function members(world: SimulatedWorld, of = room): Promise<readonly Member[]> {
  return (await world.api('GET', `${of}Participant/`)).body.objects ?? [];
}

/** The names of the phones whose voices a phone hears in the next moment. */
export async function heardBy(
  world: SimulatedWorld,
  phone: SimulatedPhone,
  others: Readonly<Record<string, SimulatedPhone>>,
): Promise<readonly string[]> {
  await world.advance(200);
  const since = world.now();
  await world.advance(300);
  const frames = phone.calls.flatMap(({ heard }) => heard).filter(({ at }) => at >= since);
  return Object.keys(others).filter((name) => {
    const meter = toneMeter(others[name]?.toneHz ?? 0);
    const share = frames.filter(({ samples }) => meter(samples) > -40).length / Math.max(1, frames.length);
    assert.ok(share > 0.9 || share < 0.1, `${name} is heard in ${share} of the frames`);
    return share > 0.9;
  });
}
