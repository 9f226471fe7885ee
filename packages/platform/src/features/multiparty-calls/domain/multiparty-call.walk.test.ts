import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { MultipartyCallEffect, MultipartyCallInput } from './multiparty-call.ts';
import {
  billedSeconds,
  type EdgeSound,
  type Origin,
  type Participant,
  type Role,
  type Switches,
  type WantedParticipant,
} from './participant.ts';
import { Room, wanted } from './testing/room.ts';

/** What the outside world has been ordered to do, kept as the media engine and the calls feature would keep it. */
class Outside {
  readonly dialled = new Set<string>();
  readonly gone = new Set<string>();
  readonly hungUp = new Set<string>();
  /** Taken or borrowed, and how. */
  readonly handedOver = new Map<string, 'taken' | 'borrowed'>();
  readonly givenBack = new Set<string>();
  readonly timers = new Set<string>();
  readonly loops = new Map<string, string>();
  readonly billed = new Map<number, number>();
  edges = new Map<string, readonly string[]>();
  mixes = 0;
  ends = 0;

  obey(effect: MultipartyCallEffect): void {
    switch (effect.do) {
      case 'dial':
        assert.ok(!this.dialled.has(effect.participant.leg), 'a leg is dialled once');
        this.dialled.add(effect.participant.leg);
        return;
      case 'hang-up':
        assert.ok(
          this.dialled.has(effect.leg) || this.handedOver.get(effect.leg) === 'taken',
          'what is not ours is never hung up',
        );
        assert.ok(!this.gone.has(effect.leg), 'only a live leg is hung up');
        assert.ok(!this.hungUp.has(effect.leg), 'a leg is hung up once');
        this.hungUp.add(effect.leg);
        return;
      case 'give-back': {
        const { leg } = effect.participant;
        assert.equal(this.handedOver.get(leg), 'borrowed', 'only what was borrowed is given back');
        assert.ok(!this.gone.has(leg), 'only a live leg is given back');
        assert.ok(!this.givenBack.has(leg), 'a leg is given back once');
        assert.ok(!this.edges.has(leg), 'a leg is out of the mix before it is given back');
        assert.ok(effect.participant.exitCause !== null && effect.participant.exitedAt !== null);
        this.givenBack.add(leg);
        return;
      }
      case 'watch-voice':
        assert.fail('nobody asked for voice');
        return;
      case 'open-mix':
        this.mixes++;
        return;
      case 'close-mix':
        this.mixes--;
        this.edges = new Map();
        this.loops.clear();
        return;
      case 'set-hearing':
        assert.equal(this.mixes, 1, 'a table is for an open mix');
        this.edges = new Map(effect.members.map(({ leg, hears }) => [leg, hears]));
        return;
      case 'play':
        for (const leg of effect.to)
          assert.ok(this.edges.has(leg), 'sounds are for legs that are in the mix');
        if (effect.loop) this.loops.set(effect.key, effect.to.join());
        return;
      case 'stop-play':
        assert.ok(this.loops.delete(effect.key), 'only what plays is stopped');
        return;
      case 'start-timer':
        this.timers.add(effect.key);
        return;
      case 'cancel-timer':
        this.timers.delete(effect.key);
        return;
      case 'emit':
        if (effect.event.type === 'ended') this.ends++;
    }
  }
}

/** Which of those who are dialled or present, counted round; 9 names somebody who is not there. */
const pick = fc.integer({ min: 0, max: 9 });
const picks = fc.oneof(
  { weight: 3, arbitrary: fc.array(pick, { minLength: 1, maxLength: 2 }) },
  { weight: 1, arbitrary: fc.constant('all' as const) },
);
const flag = fc.boolean();
const rarely = fc.integer({ min: 0, max: 5 }).map((number) => number === 5);
const role = fc.constantFrom<Role>('agent', 'supervisor', 'customer');

type Action =
  | {
      readonly type: 'add';
      readonly wanted: Pick<
        WantedParticipant,
        | 'origin'
        | 'role'
        | 'mute'
        | 'hold'
        | 'coachMode'
        | 'startsOnEnter'
        | 'endsOnExit'
        | 'enterSound'
        | 'exitSound'
      >;
    }
  | {
      readonly type: 'leg-ringing' | 'leg-answered' | 'leg-ended' | 'leg-here' | 'leg-taken';
      readonly pick: number;
    }
  | { readonly type: 'update'; readonly picks: Picks; readonly switches: Partial<Switches> }
  | { readonly type: 'kick'; readonly picks: Picks }
  | { readonly type: 'activate' | 'end' };
type Picks = 'all' | readonly number[];

const sound = fc.constantFrom<EdgeSound>('none', 'beep:1', 'beep:2');
const legAction = (type: 'leg-ringing' | 'leg-answered' | 'leg-ended' | 'leg-here' | 'leg-taken') =>
  pick.map((each): Action => ({ type, pick: each }));

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      type: fc.constant('add' as const),
      wanted: fc.record({
        origin: fc.constantFrom<Origin>('dialled', 'taken', 'borrowed'),
        role,
        mute: rarely,
        hold: rarely,
        coachMode: flag,
        startsOnEnter: flag,
        endsOnExit: rarely,
        enterSound: sound,
        exitSound: sound,
      }),
    }),
  },
  { weight: 30, arbitrary: legAction('leg-answered') },
  { weight: 3, arbitrary: legAction('leg-ringing') },
  { weight: 30, arbitrary: legAction('leg-here') },
  { weight: 8, arbitrary: legAction('leg-ended') },
  { weight: 4, arbitrary: legAction('leg-taken') },
  {
    weight: 30,
    arbitrary: fc.record({
      type: fc.constant('update' as const),
      picks,
      switches: fc.oneof(
        fc.record({ mute: flag, hold: flag }, { requiredKeys: [] }),
        fc.record({ coachMode: flag }),
      ),
    }),
  },
  { weight: 4, arbitrary: picks.map((each): Action => ({ type: 'kick', picks: each })) },
  { weight: 5, arbitrary: fc.constant<Action>({ type: 'activate' }) },
  { weight: 1, arbitrary: fc.constant<Action>({ type: 'end' }) },
);

interface Walk {
  readonly initial: 'active' | 'initialized';
  readonly stayAlone: boolean;
  readonly actions: readonly Action[];
}

function walk({ initial, stayAlone, actions }: Walk, check: (room: Room, outside: Outside) => void): void {
  const outside = new Outside();
  const room = Room.created(initial, {}, { stayAlone });
  let lastMember = 1;
  const settle = () => {
    for (const effect of room.effects) {
      outside.obey(effect);
      // Between any two orders the rule holds already, not only after the last.
      assertNoForbiddenEdge(outside, room.call.participants);
    }
    for (const each of room.call.participants) {
      if (each.phase === 'exited') outside.billed.set(each.memberId, billedSeconds(each));
    }
    check(room, outside);
  };
  settle();
  for (const each of actions) {
    const input = inputOf(each, room, outside, lastMember + 1);
    if (input === undefined) continue;
    if (input.type === 'add-participant') lastMember++;
    if (input.type === 'leg-ended' || input.type === 'leg-taken') outside.gone.add(input.leg);
    if (input.type === 'leg-here') handOver(input.leg, room, outside);
    room.after(0.7).feed(input);
    settle();
  }
}

/** Legs are handed over before the call hears of it; a leg for which nobody is left is let go by those who asked for it. */
function handOver(leg: string, room: Room, outside: Outside): void {
  const participant = room.call.participants.find((each) => each.leg === leg);
  if (participant === undefined || participant.phase === 'exited' || participant.origin === 'dialled') return;
  outside.handedOver.set(leg, participant.origin);
}

/** Undefined for what cannot happen: signalling says nothing of a leg after its end, and no answer after a hang-up. */
function inputOf(
  action: Action,
  room: Room,
  outside: Outside,
  nextMember: number,
): MultipartyCallInput | undefined {
  const { participants } = room.call;
  const memberAt = (at: number) =>
    at === 9 ? 999 : (participants[at % participants.length]?.memberId ?? 999);
  const membersAt = (at: Picks) => (at === 'all' ? at : at.map(memberAt));
  switch (action.type) {
    case 'add':
      return { type: 'add-participant', rivals: [wanted(nextMember, action.wanted)] };
    case 'update':
      return { type: 'update', members: membersAt(action.picks), switches: action.switches };
    case 'kick':
      return { type: 'kick', members: membersAt(action.picks) };
    case 'leg-here': {
      const leg = `leg-${memberAt(action.pick)}`;
      if (outside.dialled.has(leg) || outside.gone.has(leg) || outside.handedOver.has(leg)) return undefined;
      return { type: 'leg-here', leg, isAnswered: action.pick % 3 !== 0 };
    }
    case 'leg-ringing':
    case 'leg-answered':
    case 'leg-ended':
    case 'leg-taken': {
      const leg = `leg-${memberAt(action.pick)}`;
      if (outside.gone.has(leg) || outside.givenBack.has(leg)) return undefined;
      // Nothing is heard of a leg that has not been handed over but that there is none.
      const isOurs = outside.dialled.has(leg) || outside.handedOver.has(leg);
      if (!isOurs && action.type !== 'leg-ended') return undefined;
      if (action.type !== 'leg-ended' && outside.hungUp.has(leg)) return undefined;
      return { type: action.type, leg };
    }
    default:
      return { type: action.type };
  }
}

/** No customer hears a coach, and nobody on hold hears or is heard, whatever is being changed. */
function assertNoForbiddenEdge(outside: Outside, participants: readonly Participant[]): void {
  const byLeg = new Map(participants.map((each) => [each.leg, each]));
  for (const [leg, hears] of outside.edges) {
    assert.ok(!hears.includes(leg), 'nobody hears itself');
    for (const heard of hears) {
      const [listener, speaker] = [byLeg.get(leg), byLeg.get(heard)];
      // A table of the last step is replaced by the first order that concerns who has left.
      if (listener?.phase !== 'joined' || speaker?.phase !== 'joined') continue;
      assert.ok(
        !(speaker.role === 'supervisor' && speaker.coachMode && listener.role !== 'agent'),
        'a coaching supervisor is heard by agents alone',
      );
      assert.ok(!listener.hold && !speaker.hold, 'hold neither hears nor speaks');
      assert.ok(!speaker.mute, 'who is muted is heard by nobody');
    }
  }
}

const anyWalk = fc.record({
  initial: fc.constantFrom<Walk['initial']>('active', 'initialized'),
  stayAlone: flag,
  actions: fc.array(action, { maxLength: 40 }),
});
const runs = { numRuns: 300 };

describe('a multiparty call, whatever happens in whatever order', () => {
  it('keeps the mix as its participants are: table, membership and music', () => {
    fc.assert(
      fc.property(anyWalk, (each) =>
        walk(each, ({ call }, outside) => {
          const present = call.participants.filter(({ phase }) => phase === 'joined');
          assert.deepEqual([...outside.edges.keys()].sort(), present.map(({ leg }) => leg).sort());
          if (call.status === 'initialized') {
            for (const hears of outside.edges.values()) assert.deepEqual(hears, []);
          }
          const withMusic = present.filter(({ hold }) => hold || call.status === 'initialized');
          assert.deepEqual([...outside.loops.values()].sort(), withMusic.map(({ leg }) => leg).sort());
        }),
      ),
      runs,
    );
  });

  it('never holds more than max_participants', () => {
    fc.assert(
      fc.property(anyWalk, (each) =>
        walk(each, ({ call }) => {
          const live = call.participants.filter(({ phase }) => phase !== 'exited');
          assert.ok(live.length <= call.maxParticipants);
        }),
      ),
      runs,
    );
  });

  it('ends at most once, with a cause, and leaves nobody and nothing behind', () => {
    fc.assert(
      fc.property(anyWalk, (each) =>
        walk(each, ({ call }, outside) => {
          const hasEnded = call.status === 'ended';
          assert.equal(outside.ends, hasEnded ? 1 : 0);
          assert.equal(outside.mixes, hasEnded ? 0 : 1);
          assert.equal(outside.timers.size, hasEnded ? 0 : 1);
          assert.equal(call.termination !== null && call.endedAt !== null, hasEnded);
          const live = call.participants.filter(({ phase }) => phase !== 'exited');
          assert.equal(
            live.length === 0,
            hasEnded,
            'a call lives exactly as long as somebody is there or dialled',
          );
          if (!hasEnded) return;
          for (const leg of [...outside.dialled, ...outside.handedOver.keys()]) {
            const isLetGo = outside.hungUp.has(leg) || outside.givenBack.has(leg);
            assert.ok(outside.gone.has(leg) || isLetGo, `${leg} was left in a dead call`);
          }
          const billed = [...outside.billed.values()].reduce((sum, seconds) => sum + seconds, 0);
          assert.equal(call.billedSeconds, billed);
        }),
      ),
      runs,
    );
  });

  it('never leaves one alone who may not be, once the call is active', () => {
    fc.assert(
      fc.property(anyWalk, (each) => {
        let before = 0;
        walk(each, ({ call }) => {
          const present = call.participants.filter(({ phase }) => phase === 'joined').length;
          const fell = before > 1 && present === 1;
          if (call.status === 'active' && !call.stayAlone) assert.ok(!fell, 'the number present fell to one');
          before = present;
        });
      }),
      runs,
    );
  });
});
