import assert from 'node:assert/strict';
import { type HeardFrame, type SimulatedPhone, type SimulatedWorld, toneMeter } from '@jackfield/testkit';

export interface Added {
  readonly callUuid: string;
  readonly memberId: string;
}

/** The record of a leg, which no interface shows yet. */
export interface CallRecord {
  readonly direction: string;
  readonly answered_at: number | null;
  readonly ended_at: number | null;
  readonly hangup_code: number | null;
  readonly hangup_source: string | null;
}

/** A multiparty call of a simulated world, by its name while it lives and by its UUID always. */
export class SimulatedRoom {
  readonly #world: SimulatedWorld;
  readonly #path: string;
  uuid = '';

  constructor(world: SimulatedWorld, name = 'room') {
    this.#world = world;
    this.#path = `MultiPartyCall/name_${name}/`;
  }

  /** Adds a phone, by default without sounds, and does not wait for its answer. */
  async add(phone: SimulatedPhone, role: string, more: object = {}): Promise<Added> {
    const added = await this.#world.api('POST', `${this.#path}Participant/`, {
      role,
      from: '+12025550000',
      to: phone.username,
      enter_sound: 'none',
      exit_sound: 'none',
      ...more,
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const callUuid = added.body.calls[0].call_uuid as string;
    const listed = await this.#world.api('GET', `${this.#path}Participant/?call_uuid=${callUuid}`);
    const [member] = listed.body.objects;
    this.uuid = member.mpc_uuid;
    return { callUuid, memberId: member.member_id };
  }

  /** Adds phones one after another and waits until they are in. */
  async gather(
    phones: readonly SimulatedPhone[],
    role = 'agent',
    more: object = {},
  ): Promise<readonly Added[]> {
    const added: Added[] = [];
    for (const phone of phones) added.push(await this.add(phone, role, more));
    await this.#world.until('everybody is in', () => phones.every((phone) => phone.call?.isUp), 40_000);
    await this.#world.advance(100);
    return added;
  }

  async change(memberId: string, changes: object): Promise<void> {
    const { status, body } = await this.#world.api('POST', `${this.#path}Participant/${memberId}/`, changes);
    assert.equal(status, 202, JSON.stringify(body));
  }

  async kick(memberId: string): Promise<void> {
    assert.equal((await this.#world.api('DELETE', `${this.#path}Participant/${memberId}/`)).status, 204);
  }

  async end(): Promise<void> {
    assert.equal((await this.#world.api('DELETE', this.#path)).status, 204);
  }

  /** The call as the interface shows it. */
  async body() {
    return (await this.#world.api('GET', `MultiPartyCall/uuid_${this.uuid}/`)).body;
  }

  async participant(memberId: string) {
    return (await this.#world.api('GET', `MultiPartyCall/uuid_${this.uuid}/Participant/${memberId}/`)).body;
  }

  /** Waits for the end of the call and returns its code. */
  async endedWith(limitMs = 5000): Promise<number> {
    await this.#world.until(
      'the call has ended',
      async () => (await this.body()).status === 'Ended',
      limitMs,
    );
    return (await this.body()).termination_cause_code;
  }
}

export async function recordOf(world: SimulatedWorld, callUuid: string): Promise<CallRecord> {
  const tables = world.node.database.read.withTables<{ calls: CallRecord & { call_uuid: string } }>();
  return tables.selectFrom('calls').selectAll().where('call_uuid', '=', callUuid).executeTakeFirstOrThrow();
}

/** What a phone has heard from an instant on, in all its calls. */
export function heardSince(phone: SimulatedPhone, since: number): readonly HeardFrame[] {
  return phone.calls.flatMap((call) => call.heard).filter(({ at }) => at >= since);
}

/** The share of these frames that carry a tone; the voices of simulated phones have −22 dB. */
export function shareWith(frames: readonly HeardFrame[], hz: number): number {
  const meter = toneMeter(hz);
  return frames.filter(({ samples }) => meter(samples) > -40).length / Math.max(1, frames.length);
}

/** Lets a moment pass and returns which others each phone hears: in nearly every frame, or in none. */
export async function whoHearsWhom(
  world: SimulatedWorld,
  phones: readonly SimulatedPhone[],
): Promise<readonly (readonly number[])[]> {
  await world.advance(200);
  const since = world.now();
  await world.advance(400);
  return phones.map((listener) => {
    const frames = heardSince(listener, since);
    return phones.flatMap((speaker, index) => {
      const share = shareWith(frames, speaker.toneHz);
      assert.ok(
        share === 0 || share > 0.9,
        `${listener.username} hears ${speaker.toneHz} Hz in a share of ${share}`,
      );
      return share > 0 ? [index] : [];
    });
  });
}
