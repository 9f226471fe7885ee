import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  inSimulatedWorld,
  runsWithin,
  type SimulatedPhone,
  type SimulatedWorld,
  toneFile,
  toneMeter,
} from '@jackfield/testkit';
import fc from 'fast-check';
import { document, room } from './testing/live-rooms.ts';

/** 300 Hz and more apart: tones of phones and of URLs. */
const voices = [2100, 2500, 2900, 3300];
const tones = { wait: 500, agentHold: 800, customerHold: 1100, coach: 1400, news: 1750 } as const;
type Tone = keyof typeof tones;
const urlOf = (tone: Tone) => `https://customer.example.com/${tone}`;
const fileOf = (tone: Tone) => `https://customer.example.com/file/${tone}`;

const behaviours = ['file', 'document', 'changes', 'slow', 'refuses', 'silent', 'broken'] as const;
type Behaviour = (typeof behaviours)[number];
/** Time until a sound reaches its listeners. */
const answers: ReadonlySet<Behaviour> = new Set(['file', 'document', 'changes']);

function serve(world: SimulatedWorld, tone: Tone, behaviour: Behaviour): void {
  const file = toneFile(tones[tone], 400);
  world.customer.serve(fileOf(tone), file);
  const xml = document(`<Play>${fileOf(tone)}</Play><Record/>`);
  let asked = 0;
  world.customer.serve(urlOf(tone), () => {
    switch (behaviour) {
      case 'file':
        return file;
      case 'document':
        return xml;
      case 'changes':
        return asked++ % 2 === 0 ? file : xml;
      case 'slow':
        return { status: 200, body: file, afterMs: 1_200 };
      case 'refuses':
        return { status: 503 };
      case 'silent':
        return undefined;
      case 'broken':
        return document('<Play>nowhere</Play>');
    }
  });
}

const at = fc.nat({ max: voices.length - 1 });
const role = fc.constantFrom('agent', 'customer', 'supervisor');
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('add' as const), at, role, starts: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('hold' as const), at, on: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('play' as const, 'stop' as const) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('hang-up' as const), at }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('activate' as const) }) },
);
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

interface Member {
  readonly member_id: string;
  readonly call_uuid: string;
  readonly role: string;
  readonly hold: boolean;
  readonly status: string;
}

class Evening {
  /** Call UUID → its phone and role. */
  readonly legs = new Map<
    string,
    { readonly phone: SimulatedPhone; readonly role: string; readonly callIndex: number }
  >();
  moments = 0;
  readonly #world: SimulatedWorld;
  readonly #phones: readonly SimulatedPhone[];
  readonly #served: Readonly<Record<Tone, Behaviour>>;

  constructor(
    world: SimulatedWorld,
    phones: readonly SimulatedPhone[],
    served: Readonly<Record<Tone, Behaviour>>,
  ) {
    this.#world = world;
    this.#phones = phones;
    this.#served = served;
  }

  async #members(): Promise<readonly Member[]> {
    return (await this.#world.api('GET', `${room}Participant/`)).body.objects ?? [];
  }

  async happen(action: Action): Promise<void> {
    const { api } = this.#world;
    switch (action.type) {
      case 'add': {
        const phone = this.#phones[action.at]!;
        if (phone.call?.end === undefined && phone.calls.length > 0) return;
        const callIndex = phone.calls.length;
        const { status, body } = await api('POST', `${room}Participant/`, {
          role: action.role,
          from: '+12025550199',
          to: phone.username,
          stay_alone: true,
          start_mpc_on_enter: action.starts,
          dial_music: 'none',
          wait_music_url: urlOf('wait'),
          agent_hold_music_url: urlOf('agentHold'),
          customer_hold_music_url: urlOf('customerHold'),
          enter_sound: action.role === 'supervisor' ? urlOf('coach') : 'none',
          exit_sound: action.role === 'supervisor' ? urlOf('coach') : 'none',
        });
        assert.equal(status, 201, JSON.stringify(body));
        this.legs.set(body.calls[0].call_uuid, { phone, role: action.role, callIndex });
        await this.#world.until('it has joined, whatever its sounds do', () => phone.calls[callIndex]?.isUp);
        return;
      }
      case 'hold': {
        const members = await this.#members();
        const member = members[action.at % Math.max(1, members.length)];
        if (member === undefined) return;
        await api('POST', `${room}Participant/${member.member_id}/`, { hold: action.on });
        return;
      }
      case 'play':
        await api('POST', `${room}Member/all/Play/`, { urls: fileOf('news'), loop: true });
        return;
      case 'stop':
        await api('DELETE', `${room}Member/all/Play/`);
        return;
      case 'hang-up':
        this.#phones[action.at]!.hangUp();
        return;
      case 'activate':
        await api('POST', room, { status: 'active' });
    }
  }

  /** Checks what each member hears while nothing changes. */
  async check(): Promise<void> {
    await this.#world.advance(400);
    const since = this.#world.now();
    await this.#world.advance(240);
    const { status } = (await this.#world.api('GET', room)).body;
    for (const member of await this.#members()) {
      const leg = this.legs.get(member.call_uuid);
      const call = leg?.phone.calls[leg.callIndex];
      if (leg === undefined || call === undefined || member.status !== 'joined') continue;
      const frames = call.heard.filter((frame) => frame.at >= since);
      const shareOf = (hz: number) => {
        const meter = toneMeter(hz);
        return frames.filter(({ samples }) => meter(samples) > -40).length / Math.max(1, frames.length);
      };
      const who = `${member.role}, ${status}${member.hold ? ', on hold' : ''}`;
      const isWaiting = status === 'Initialized' && !member.hold;
      const music = member.role === 'customer' ? 'customerHold' : 'agentHold';
      for (const tone of ['wait', 'agentHold', 'customerHold'] as const) {
        const isDue = tone === 'wait' ? isWaiting : member.hold && tone === music;
        if (!isDue) assert.equal(shareOf(tones[tone]), 0, `${tone} is heard by ${who}`);
        else if (answers.has(this.#served[tone])) assert.ok(shareOf(tones[tone]) > 0.7, `${tone}, ${who}`);
      }
      this.moments++;
      if (!member.hold && !isWaiting) continue;
      for (const hz of voices) assert.equal(shareOf(hz), 0, `a voice is heard by ${who}`);
      if (member.hold) assert.equal(shareOf(tones.news), 0, `what is played to all is heard by ${who}`);
      assert.equal(shareOf(tones.coach), 0, `the sound of entering is heard by ${who}`);
    }
  }

  async over(): Promise<void> {
    await this.#world.api('DELETE', room);
    await this.#world.until('all participants have left', () =>
      this.#phones.every(({ calls }) => calls.every(({ end }) => end !== undefined)),
    );
    await this.#world.advance(500);
    const coach = toneMeter(tones.coach);
    for (const { phone, role, callIndex } of this.legs.values()) {
      if (role !== 'customer') continue;
      const heard = phone.calls[callIndex]?.heard ?? [];
      assert.ok(!heard.some(({ samples }) => coach(samples) > -40), 'a customer hears that a coach enters');
    }
  }
}

it('whatever the servers of sounds do: each member hears the music that is due, and no other sound', async (t) => {
  const served = fc.record({
    wait: fc.constantFrom(...behaviours),
    agentHold: fc.constantFrom(...behaviours),
    customerHold: fc.constantFrom(...behaviours),
    coach: fc.constantFrom(...behaviours),
    news: fc.constant('file' as const),
  });
  let moments = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      served,
      fc.array(action, { minLength: 8, maxLength: 20 }),
      // A slow machine plays fewer evenings.
      runsWithin(20_000, (seed, behaviour, actions) =>
        inSimulatedWorld({ seed }, async (world) => {
          for (const tone of Object.keys(tones) as Tone[]) serve(world, tone, behaviour[tone]);
          const phones: SimulatedPhone[] = [];
          for (const [index, toneHz] of voices.entries()) {
            phones.push(await world.phone(`phone${index}`, { toneHz }));
          }
          const evening = new Evening(world, phones, behaviour);
          for (const each of actions) {
            await evening.happen(each);
            await evening.check();
          }
          await evening.over();
          moments += evening.moments;
        }),
      ),
    ),
    { numRuns: 12 },
  );
  t.diagnostic(`${moments} moments of a member in a call`);
  assert.ok(moments > 0);
});
