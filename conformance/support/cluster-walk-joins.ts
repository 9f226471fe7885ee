import type { ApiAnswer, SimulatedWorld } from '@jackfield/testkit';

/** The phones of a walk: Sue coaches in each of her calls, and Cid is a customer in each of his. */
export const roles = { ann: 'agent', bob: 'agent', cid: 'customer', sue: 'supervisor' } as const;
export type Name = keyof typeof roles;
export const names = Object.keys(roles) as Name[];

export const room = 'MultiPartyCall/name_walk/';
const customer = 'https://customer.example';
const receiver = `${customer}/room`;

/** Ways into the multiparty call: dialled by it, by the document of the call, and by a request while a document waits. */
const ways = ['dialled', 'document', 'waiting'] as const;

interface WalkRequest {
  readonly path: string;
  readonly body: object;
  /** The answer to the request with its key. */
  readonly answered: (answer: ApiAnswer) => void;
}

/** The requests that bring phones into the multiparty call, which enter at any node; the call and its leg may live at two. */
export class WalkJoins {
  readonly #random: () => number;
  /** The call of each phone whose document waits. */
  readonly #waiting = new Map<Name, string>();

  constructor({ customer: server }: SimulatedWorld, random: () => number) {
    this.#random = random;
    for (const name of names)
      server.serve(
        `${customer}/join/${name}`,
        `<Response><MultiPartyCall role="${roles[name]}" coachMode="${name === 'sue'}" stayAlone="true" statusCallbackUrl="${receiver}" statusCallbackEvents="mpc-state-changes,participant-state-changes">walk</MultiPartyCall><Wait length="20"/></Response>`,
      );
    server.serve(`${customer}/wait`, '<Response><Wait length="1800"/></Response>');
  }

  /** Begins a call with the phone. */
  begin(name: Name, from: string, to: string): WalkRequest {
    this.#waiting.delete(name);
    const way = ways[Math.floor(this.#random() * ways.length)];
    if (way === 'dialled') {
      const body = { ...participant(name), from, to };
      return { path: `${room}Participant/`, body, answered: () => {} };
    }
    const answer_url = way === 'waiting' ? `${customer}/wait` : `${customer}/join/${name}`;
    return {
      path: 'Call/',
      body: { from, to, answer_url, hangup_url: receiver },
      answered: ({ status, body }) => {
        if (status === 201 && way === 'waiting') this.#waiting.set(name, body.request_uuid);
      },
    };
  }

  /** Moves the call of the phone out of the document in which it waits; undefined if it does not wait. */
  move(name: Name): { readonly path: string; readonly body: object } | undefined {
    const leg = this.#waiting.get(name);
    this.#waiting.delete(name);
    if (leg === undefined) return undefined;
    return { path: `${room}Participant/`, body: { ...participant(name), call_uuid: leg } };
  }
}

function participant(name: Name) {
  return {
    role: roles[name],
    coach_mode: name === 'sue',
    stay_alone: true,
    status_callback_url: receiver,
    status_callback_events: 'mpc-state-changes,participant-state-changes',
  };
}
