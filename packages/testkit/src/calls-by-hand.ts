import assert from 'node:assert/strict';
import type { CustomerAnswer } from './simulated-customer.ts';
import type { Caller } from './simulated-platform.ts';
import type { SimulatedWorld } from './simulated-world.ts';

/** Its document waits until the call ends. */
const waitingUrl = 'https://customer.example.com/waits';

/** In a world without phones: a call to a number that was answered and waits in its document; gives its leg. */
export async function answeredCall(world: SimulatedWorld, as: Caller = world.main): Promise<string> {
  const leg = await ringingCall(world, as);
  world.telephony.pickUp(leg);
  await world.advance(10);
  return leg;
}

/** The same before its answer. */
export async function ringingCall(world: SimulatedWorld, as: Caller = world.main): Promise<string> {
  world.customer.serve(waitingUrl, '<Response><Wait length="86400" silence="true"/></Response>');
  const body = { from: '+12025550111', to: '+12025550100', answer_url: waitingUrl };
  const { status, body: answer } = await world.call('POST', 'Call/', { body, as });
  assert.equal(status, 201, JSON.stringify(answer));
  await world.advance(0);
  const { leg } = world.telephony.dialled.at(-1)!;
  world.telephony.startRinging(leg);
  await world.advance(0);
  return leg;
}

/** A call from one phone to another; the caller waits for the answer of the other phone. */
export async function ringingConversation(world: SimulatedWorld, as: Caller = world.main) {
  const caller = world.telephony.callIn({ account: as.authId, to: '+12025550100' });
  await world.advance(0);
  const callee = world.telephony.dialled.at(-1)!.leg;
  world.telephony.startRinging(callee);
  await world.advance(0);
  return { caller, callee };
}

/** Two phones that talk with each other. */
export async function conversation(world: SimulatedWorld, as: Caller = world.main) {
  const legs = await ringingConversation(world, as);
  world.telephony.pickUp(legs.callee);
  await world.advance(0);
  return legs;
}

let applications = 0;

/** A call to a new application with this answer at its `answer_url`, and the time to fetch it; gives its leg. */
export async function incomingCall(
  world: SimulatedWorld,
  answer: CustomerAnswer,
  fields: object = {},
): Promise<string> {
  const name = `application-${++applications}`;
  const answer_url = `https://customer.example.com/${name}`;
  world.customer.serve(answer_url, answer);
  const { status, body } = await world.api('POST', 'Application/', { app_name: name, answer_url, ...fields });
  assert.equal(status, 201, JSON.stringify(body));
  const account = world.main.authId;
  const leg = world.telephony.callIn({ account, to: '+12025550100', application: body.app_id });
  await world.advance(100);
  return leg;
}
