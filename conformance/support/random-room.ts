import assert from 'node:assert/strict';
import type { SimulatedPhone, SimulatedWorld } from '@jackfield/testkit';
import type { Moment, Person } from './hearing-oracle.ts';

/** One action on a multiparty call; `who` chooses among the participants that it can apply to. */
export type Happening = { readonly who: number; readonly afterMs: number } & (
  | {
      readonly type: 'join';
      readonly role: Person['role'];
      readonly coach: boolean;
      readonly mute: boolean;
      readonly hold: boolean;
      readonly starts: boolean;
      readonly ringMs: number;
      /** The call dials it, or its own document joins, or a request moves it out of the document in which it waits. */
      readonly by: 'request' | 'document' | 'move';
    }
  | { readonly type: 'hang-up' | 'kick' | 'activate' }
  | { readonly type: 'coach' | 'mute' | 'hold'; readonly on: boolean }
  | { readonly type: 'mute-all' | 'hold-all'; readonly on: boolean }
);

const joinsAs = (role: Person['role'], afterMs: number) =>
  ({
    type: 'join',
    who: 0,
    afterMs,
    role,
    coach: true,
    mute: false,
    hold: false,
    starts: true,
    ringMs: 0,
    by: 'request',
  }) as const;

/**
 * The fixed course before the random ones: an agent and a customer talk, a supervisor coaches, the agent is on hold and back. It
 * has every kind of action that the tests count, so that no count depends on chance alone.
 */
export const firstEvening = {
  seed: 1,
  guests: [joinsAs('agent', 100), joinsAs('customer', 600), joinsAs('supervisor', 1500)],
  happenings: [
    { type: 'hold', who: 0, afterMs: 2000, on: true } as const,
    { type: 'hold', who: 0, afterMs: 1500, on: false } as const,
  ],
};

const room = 'MultiPartyCall/name_random/';
const customer = 'https://customer.example.com';
type Join = Happening & { readonly type: 'join' };

/** A multiparty call driven through the interface, and beside it the history of its settings. */
export class RandomRoom {
  readonly history: Moment[] = [];
  readonly #world: SimulatedWorld;
  readonly #phones: readonly SimulatedPhone[];
  #people: (Person | undefined)[];
  #mayBeActive = false;
  #isActive = false;

  constructor(world: SimulatedWorld, phones: readonly SimulatedPhone[]) {
    this.#world = world;
    this.#phones = phones;
    this.#people = phones.map(() => undefined);
    this.#note();
  }

  async play(happenings: readonly Happening[]): Promise<void> {
    for (const happening of happenings) {
      await this.#happen(happening);
      // A leaving participant gets a moment: then an empty call has ended.
      const gone = happening.type === 'hang-up' || happening.type === 'kick';
      await this.#wait(Math.max(happening.afterMs, gone ? 20 : 0));
    }
    await this.#wait(700);
  }

  /** Ends the call, if there is one. */
  async end(): Promise<void> {
    const { status } = await this.#world.api('DELETE', room);
    assert.equal(status, this.#isEmpty() ? 404 : 204);
    this.#people = this.#people.map(() => undefined);
    this.#note();
    await this.#wait(100);
  }

  async #happen(happening: Happening): Promise<void> {
    const { who } = happening;
    switch (happening.type) {
      case 'join':
        return this.#join(happening);
      case 'hang-up':
      case 'kick': {
        const index = pick(this.#indices(), who);
        return index === undefined ? undefined : this.#leave(index, happening.type);
      }
      case 'activate': {
        if (this.#isEmpty()) return;
        const { status } = await this.#world.api('POST', room, { status: 'Active' });
        assert.ok(status === 204 || status === 404);
        this.#mayBeActive = true;
        this.#isActive = true;
        return this.#note();
      }
      case 'coach':
        return this.#change(pick(this.#indices('supervisor'), who), { coach: happening.on });
      case 'mute':
        return this.#change(pick(this.#indices(), who), { mute: happening.on });
      case 'hold':
        return this.#change(pick(this.#indices(), who), { hold: happening.on });
      case 'mute-all':
        return this.#change('all', { mute: happening.on });
      case 'hold-all':
        return this.#change('all', { hold: happening.on });
    }
  }

  async #join(requested: Join): Promise<void> {
    const free = this.#people.flatMap((person, index) =>
      person === undefined && (this.#phones[index]!.call?.end !== undefined || !this.#phones[index]!.call)
        ? [index]
        : [],
    );
    const index = pick(free, requested.who);
    if (index === undefined) return;
    const phone = this.#phones[index]!;
    phone.behaviour = { does: 'answer', ringMs: requested.ringMs };
    const isNew = this.#isEmpty();
    const { role, mute, hold, starts, by } = requested;
    const calls = phone.calls.length;
    const waiting = by === 'move' ? await this.#called(phone, '<Wait length="1800"/>') : undefined;
    if (waiting !== undefined) {
      // The phone knows of its answer before the platform does, which moves no call of another node until then.
      await this.#world.until('the answer', async () => {
        const { body } = await this.#world.api('GET', `Call/${waiting}/?status=live`);
        return body.call_status === 'in-progress';
      });
      await this.#wait(0);
    }
    // Recorded before the request is sent: from here on the phone may answer.
    if (isNew) this.#isActive = starts;
    this.#mayBeActive = starts || (!isNew && this.#mayBeActive);
    const call = () => phone.calls[calls];
    const person = {
      role,
      mute,
      hold,
      starts,
      coach: role === 'supervisor' && requested.coach,
      memberId: '',
      call,
    };
    this.#people[index] = person;
    this.#note();
    const leg =
      by === 'document'
        ? await this.#called(phone, documentOf(requested))
        : await this.#added(phone, requested, waiting);
    this.#people[index] = { ...person, memberId: await this.#memberOf(leg) };
    this.#note();
    await this.#wait(0);
  }

  /** Adds the phone or its call by a request; the call UUID. */
  async #added(
    phone: SimulatedPhone,
    { role, mute, hold, coach, starts }: Join,
    leg?: string,
  ): Promise<string> {
    const { status, body } = await this.#world.api('POST', `${room}Participant/`, {
      role,
      mute,
      hold,
      coach_mode: coach,
      start_mpc_on_enter: starts,
      stay_alone: true,
      ...(leg === undefined ? { from: '+12025550000', to: phone.username } : { call_uuid: leg }),
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body.calls[0].call_uuid;
  }

  /** Calls the phone for a document; the call UUID. */
  async #called(phone: SimulatedPhone, element: string): Promise<string> {
    const answer_url = `${customer}/document/${phone.username}`;
    this.#world.customer.serve(answer_url, `<Response>${element}</Response>`);
    const asked = { from: '+12025550000', to: phone.username, answer_url };
    const { status, body } = await this.#world.api('POST', 'Call/', asked);
    assert.equal(status, 201, JSON.stringify(body));
    return body.request_uuid;
  }

  /** A document joins when its phone has answered. */
  async #memberOf(leg: string): Promise<string> {
    let member = '';
    await this.#world.until('the participant', async () => {
      const listed = await this.#world.api('GET', `${room}Participant/?call_uuid=${leg}`);
      member = listed.body.objects?.[0]?.member_id ?? '';
      return member !== '';
    });
    return member;
  }

  async #leave(index: number, by: 'hang-up' | 'kick'): Promise<void> {
    const person = this.#people[index]!;
    const call = person.call();
    if (by === 'hang-up' && call !== undefined) call.hangUp();
    else {
      const { status } = await this.#world.api('DELETE', `${room}Participant/${person.memberId}/`);
      assert.equal(status, 204);
    }
    this.#people[index] = undefined;
    this.#note();
  }

  async #change(index: number | 'all' | undefined, change: Partial<Pick<Person, 'coach' | 'mute' | 'hold'>>) {
    if (index === undefined || this.#isEmpty()) return;
    const changed = (person: Person | undefined, at: number) =>
      person !== undefined && (index === 'all' || index === at) ? { ...person, ...change } : person;
    const { coach, ...others } = change;
    const member = index === 'all' ? 'all' : this.#people[index]!.memberId;
    const { status, body } = await this.#world.api('POST', `${room}Participant/${member}/`, {
      ...others,
      ...(coach === undefined ? {} : { coach_mode: coach }),
    });
    assert.equal(status, 202, JSON.stringify(body));
    this.#people = this.#people.map(changed);
    this.#note();
  }

  async #wait(ms: number): Promise<void> {
    await this.#world.advance(ms);
    const hasStarted = this.#people.some((person) => person?.starts && person.call()?.isUp);
    if (hasStarted && !this.#isActive) {
      // The platform knows of the phone's answer a millisecond later.
      await this.#world.advance(5);
      this.#isActive = true;
      this.#note();
    }
  }

  #indices(role?: Person['role']): readonly number[] {
    return this.#people.flatMap((person, index) =>
      person !== undefined && (role === undefined || person.role === role) ? [index] : [],
    );
  }

  #isEmpty(): boolean {
    return this.#people.every((person) => person === undefined);
  }

  #note(): void {
    this.history.push({
      at: this.#world.now(),
      people: [...this.#people],
      mayBeActive: this.#mayBeActive,
      isActive: this.#isActive,
    });
  }
}

function pick(indices: readonly number[], who: number): number | undefined {
  return indices[who % indices.length];
}

function documentOf({ role, coach, mute, hold, starts }: Join): string {
  const attributes = { role, coachMode: coach, mute, hold, startMpcOnEnter: starts, stayAlone: true };
  const text = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`);
  return `<MultiPartyCall ${text.join(' ')}>random</MultiPartyCall>`;
}
