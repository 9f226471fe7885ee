import assert from 'node:assert/strict';
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
async function ringingCall(world: SimulatedWorld, as: Caller = world.main): Promise<string> {
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
