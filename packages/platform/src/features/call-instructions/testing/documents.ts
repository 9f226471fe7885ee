import { type CustomerRequest, eventStreamOf, type SimulatedWorld } from '@jackfield/testkit';

/** An answer document with these elements. */
export function response(...elements: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${elements.join('')}</Response>`;
}

/** The files and texts that are played now, in the order of their plays: the first leg that hears each, and the text with its language and voice. */
export function clipsOf({ node }: SimulatedWorld): readonly (readonly [leg: string, heard: string])[] {
  return node.media.orders.plays.flatMap(({ to: [leg = ''], sound }) => {
    if (sound.kind !== 'clip') return [];
    const speech = node.speechIn(sound.name);
    return [[leg, speech === undefined ? 'a file' : spoken(speech.text, speech)] as const];
  });
}

/** A text as `clipsOf` shows it. */
export function spoken(text: string, { language = 'en-US', voice = 'woman' } = {}): string {
  return `"${text}" in ${language} by a ${voice}`;
}

/** The number of documents that run. */
export function documentsOf({ node }: SimulatedWorld): number {
  return node.platform.runner.census().document?.sessions ?? 0;
}

export function requestsTo({ customer }: SimulatedWorld, url: string): readonly CustomerRequest[] {
  return customer.requests.filter((request) => request.url === url);
}

export async function eventsOf(world: SimulatedWorld, leg: string) {
  return (await eventStreamOf(world)).filter(({ resource }) => resource === `call/${leg}`);
}

/** Code and source of a call's end. */
export async function endOf(world: SimulatedWorld, leg: string): Promise<string> {
  const { body } = await world.api('GET', `Call/${leg}/`);
  return `${body.hangup_cause_code} ${body.hangup_source}`;
}
