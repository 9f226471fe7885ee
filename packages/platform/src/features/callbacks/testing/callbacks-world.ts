import {
  type CustomerAnswer,
  type CustomerRequest,
  type OpenDatabase,
  openSimulatedWorld,
  type PlatformSettings,
} from '@jackfield/testkit';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';

export const ok: CustomerAnswer = { status: 200 };
export const down: CustomerAnswer = {
  problem: { kind: 'unreachable', sentence: 'no connection: ECONNREFUSED' },
};

/** A simulated world in which the test emits events of its own; the customer answers each as the test says. */
export async function openCallbacks(
  database: OpenDatabase,
  answer: (request: CustomerRequest, number: number) => CustomerAnswer,
  settings: PlatformSettings = {},
) {
  const world = await openSimulatedWorld({ database, settings, phones: 'none', hasOwnEvents: true });
  const begin = world.now();
  const { authId } = world.main;
  const { requests } = world.customer;
  world.customer.serveOthers((request) => answer(request, requests.length));
  const event = {
    type: 'happened',
    account: authId,
    mainAccount: authId,
    resource: 'r/1',
    payload: { n: 1 },
  };
  return {
    world,
    requests,
    /** Field `n` of each request, and the second in which it was sent. */
    numbers: () => requests.map(({ at, fields }) => `${fields.n} at ${Math.floor((at - begin) / 1000)} s`),
    emit: (url: string, changes: Partial<OutboxEvent> = {}, method: 'GET' | 'POST' = 'POST') =>
      world.node.emit({ ...event, callback: { url, method }, ...changes }),
    emitWithoutReceiver: () => world.node.emit(event),
    /** The answer of the customer arrives. */
    answered: () => world.advance(100),
    log: async (query = '') => (await world.api('GET', `Callback/${query}`)).body,
    record: async (id: string) => (await world.api('GET', `Callback/${id}/`)).body,
  };
}
