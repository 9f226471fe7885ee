import assert from 'node:assert/strict';
import type { SimulatedPhone, SimulatedPlatform, SimulatedWorld } from '@jackfield/testkit';
import { cluster } from './simulated-nodes.ts';

const base = 'https://customer.example.com';

export interface LinkedCaller {
  readonly phone: SimulatedPhone;
  readonly callUuid: string;
  /** The home of the call. */
  readonly node: SimulatedPlatform;
}

/** How many legs of other nodes are in its conversations, and how many of its legs are in conversations of others. */
export function linksOf({ platform }: SimulatedPlatform): readonly [remoteLegs: number, links: number] {
  const census = platform.runner.census();
  return [census['remote-leg']?.sessions ?? 0, census['media-link']?.sessions ?? 0];
}

/** Calls the phone from this node; its document joins the room. */
export function callInto(
  world: SimulatedWorld,
  node: SimulatedPlatform,
  phone: SimulatedPhone,
  attributes: Readonly<Record<string, string>>,
  room = 'room',
): Promise<LinkedCaller> {
  const given = { enterSound: 'none', exitSound: 'none', stayAlone: 'true', ...attributes };
  const text = Object.entries(given)
    .map(([name, value]) => `${name}="${value}"`)
    .join(' ');
  return callWith(world, node, phone, `<MultiPartyCall ${text}>${room}</MultiPartyCall>`);
}

/** Calls the phone from this node; its document waits. */
export function waitingCall(
  world: SimulatedWorld,
  node: SimulatedPlatform,
  phone: SimulatedPhone,
): Promise<LinkedCaller> {
  return callWith(world, node, phone, '<Wait length="1800"/>');
}

async function callWith(
  world: SimulatedWorld,
  node: SimulatedPlatform,
  phone: SimulatedPhone,
  element: string,
): Promise<LinkedCaller> {
  const path = `/join/${phone.username}`;
  const next = `<Redirect>${base}/after/${phone.username}</Redirect>`;
  world.customer.serve(base + path, `<Response>${element}${next}</Response>`);
  world.customer.serve(`${base}/after/${phone.username}`, '<Response><Wait length="1800"/></Response>');
  world.customer.serve(`${base}/exit`, '<Response><Wait length="1800"/></Response>');
  const before = phone.calls.length;
  const made = await node.call('POST', 'Call/', {
    body: { from: '+12025550000', to: phone.username, answer_url: base + path },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await world.until('the call is up', () => phone.calls.length > before && phone.call?.isUp === true, 40_000);
  const callUuid = made.body.request_uuid as string;
  return { phone, callUuid, node };
}

/** Waits until this number of participants are in the room. */
export async function joined(world: SimulatedWorld, count: number, room = 'room'): Promise<void> {
  await world.until(
    `${count} participants`,
    async () => {
      const { body } = await world.api('GET', `MultiPartyCall/name_${room}/Participant/`);
      const here = (body.objects ?? []).filter((each: { status: string }) => each.status === 'joined');
      return here.length === count;
    },
    40_000,
  );
}

/** The member number of a call in the room. */
export async function memberOf(
  world: SimulatedWorld,
  { callUuid }: LinkedCaller,
  room = 'room',
): Promise<string> {
  const path = `MultiPartyCall/name_${room}/Participant/?call_uuid=${callUuid}`;
  const { body } = await world.api('GET', path);
  return body.objects[0].member_id as string;
}

/** Requests that the documents of a phone sent behind the room. */
export function requestsAfter(world: SimulatedWorld, { phone }: LinkedCaller) {
  return world.customer.requests.filter(({ url }) => url === `${base}/after/${phone.username}`);
}

export function exitRequests(world: SimulatedWorld, { callUuid }: LinkedCaller) {
  return world.customer.requests
    .filter(({ url }) => url === `${base}/exit`)
    .map(({ fields }) => fields)
    .filter(({ ParticipantCallUUID }) => ParticipantCallUUID === callUuid);
}

export const exitAction = { onExitActionUrl: `${base}/exit` };

/** Every phone hangs up, and every link is over. */
export async function ended(world: SimulatedWorld, callers: readonly LinkedCaller[]): Promise<void> {
  for (const { phone } of callers) phone.hangUp();
  await world.until('every call is over', () => callers.every(({ phone }) => phone.call?.end !== undefined));
  await unlinked(world);
}

export async function unlinked(world: SimulatedWorld): Promise<void> {
  await world.until(
    'every link is over',
    () => cluster(world).nodes.every((node) => linksOf(node).every((count) => count === 0)),
    20_000,
  );
  // The answers to the last BYEs.
  await world.advance(500);
}
