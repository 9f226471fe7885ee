import { type CustomerRequest, feedOf, type SimulatedWorld } from '@jackfield/testkit';

/** An answer document with these elements. */
export function response(...elements: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${elements.join('')}</Response>`;
}

/** The legs that hear a file or a text, in the order of their plays. */
export function clipsOf({ node }: SimulatedWorld): readonly (string | undefined)[] {
  return node.media.orders.plays.filter(({ sound }) => sound.kind === 'clip').map(({ to }) => to[0]);
}

/** The number of documents that run. */
export function documentsOf({ node }: SimulatedWorld): number {
  return node.platform.runner.census().document?.sessions ?? 0;
}

export function requestsTo({ customer }: SimulatedWorld, url: string): readonly CustomerRequest[] {
  return customer.requests.filter((request) => request.url === url);
}

export async function eventsOf(world: SimulatedWorld, leg: string) {
  return (await feedOf(world)).filter(({ resource }) => resource === `call/${leg}`);
}

/** Code and source of a call's end. */
export async function endOf(world: SimulatedWorld, leg: string): Promise<string> {
  const { body } = await world.api('GET', `Call/${leg}/`);
  return `${body.hangup_cause_code} ${body.hangup_source}`;
}
