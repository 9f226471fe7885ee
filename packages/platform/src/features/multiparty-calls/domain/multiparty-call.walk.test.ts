import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { MultipartyCallEffect, MultipartyCallInput } from './multiparty-call.ts';
import {
  type DialMusic,
  type EdgeSound,
  isPending,
  type Origin,
  type Participant,
  type RequestedParticipant,
  type Role,
  type Switches,
  slotsOf,
} from './participant.ts';
import { Room, requested } from './testing/room.ts';

/** The orders of the call, kept as the media engine and the calls feature would keep them. */
class Outside {
  readonly dialled = new Set<string>();
  readonly gone = new Set<string>();
  readonly hungUp = new Set<string>();
  /** Taken or borrowed, and how. */
  readonly handedOver = new Map<string, 'taken' | 'borrowed'>();
  readonly givenBack = new Set<string>();
  /** Documents of exit actions run on them. */
  readonly exited = new Set<string>();
  /** Sounds from URLs: key → the leg that hears it. */
  readonly sounds = new Map<string, string>();
  readonly timers = new Set<string>();
  readonly loops = new Map<string, string>();
  edges = new Map<string, readonly string[]>();
  /** Requests that have been completed, and those of which a phone has joined. */
  readonly completed = new Set<string>();
  readonly winners = new Set<string>();
  /** Legs that have pressed the right key. */
  readonly confirmed = new Set<string>();
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
          'only held legs are hung up',
        );
        this.letGo(effect.leg, this.hungUp);
        return;
      case 'run-exit-document': {
        const { leg, joinedAt, exitedAt, onExitAction } = effect.participant;
        assert.ok(this.dialled.has(leg) || this.handedOver.get(leg) === 'taken');
        assert.ok(joinedAt !== null && exitedAt !== null && onExitAction !== null);
        this.letGo(leg, this.exited);
        return;
      }
      case 'send-digits':
        assert.ok(this.edges.has(effect.leg), 'keys are sent to legs in the mix');
        return;
      case 'start-sound': {
        const [leg = ''] = effect.to;
        assert.equal(effect.to.length, 1);
        assert.ok(!this.sounds.has(effect.key), 'a sound is stopped before its key is used again');
        assert.equal(
          this.edges.has(leg),
          !effect.key.startsWith('confirm:'),
          'only its phone hears the question',
        );
        this.sounds.set(effect.key, leg);
        return;
      }
      case 'stop-sound':
        assert.ok(this.sounds.delete(effect.key), 'only a running sound is stopped');
        return;
      case 'give-back': {
        const { leg } = effect.participant;
        assert.equal(this.handedOver.get(leg), 'borrowed', 'only a borrowed leg is returned');
        assert.ok(effect.participant.exitCause !== null && effect.participant.exitedAt !== null);
        this.letGo(leg, this.givenBack);
        return;
      }
      case 'watch-voice':
        assert.fail('no status callback requests voice');
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
        assert.ok(this.loops.delete(effect.key), 'only a running loop is stopped');
        return;
      case 'start-timer':
        this.timers.add(effect.key);
        return;
      case 'cancel-timer':
        this.timers.delete(effect.key);
        return;
      case 'emit':
        if (effect.event.type === 'ended') this.ends++;
        if (effect.event.type === 'participant-joined') this.joins(effect.event.participant);
        if (effect.event.type === 'add-participant-completed') {
          const { requestUuid } = effect.event.participant;
          assert.ok(!this.completed.has(requestUuid), 'adding is completed once');
          this.completed.add(requestUuid);
        }
    }
  }

  isLetGo(leg: string): boolean {
    return this.hungUp.has(leg) || this.givenBack.has(leg) || this.exited.has(leg);
  }

  private joins({ leg, requestUuid, confirmation }: Participant): void {
    assert.ok(!this.winners.has(requestUuid), 'one phone of a list joins');
    this.winners.add(requestUuid);
    assert.ok(confirmation === null || this.confirmed.has(leg), 'the key is pressed before');
  }

  /** A leg is hung up, returned or given to a document: exactly one of these, after it is out of the mix. */
  private letGo(leg: string, how: Set<string>): void {
    assert.ok(!this.gone.has(leg), 'only a live leg is let go');
    assert.ok(!this.isLetGo(leg), 'a leg is let go once');
    assert.ok(!this.edges.has(leg), 'a leg is out of the mix before it is let go');
    how.add(leg);
  }
}

/** Index among the participants dialled or present, counted round; 9 names an unknown member. */
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
      /** Number of phones for one slot, where it is dialled. */
      readonly phones: number;
      readonly requested: Pick<
        RequestedParticipant,
        | 'origin'
        | 'role'
        | 'mute'
        | 'hold'
        | 'coachMode'
        | 'startsOnEnter'
        | 'endsOnExit'
        | 'enterSound'
        | 'exitSound'
        | 'delaySeconds'
        | 'confirmation'
        | 'dialMusic'
        | 'relaysDigits'
        | 'joinsOthersOnly'
        | 'onExitAction'
      >;
    }
  | {
      readonly type: 'leg-ringing' | 'leg-answered' | 'leg-ended' | 'leg-here' | 'leg-taken';
      readonly pick: number;
    }
  | { readonly type: 'update'; readonly picks: Picks; readonly switches: Partial<Switches> }
  | { readonly type: 'kick'; readonly picks: Picks }
  | { readonly type: 'cancel-request'; readonly pick: number }
  | { readonly type: 'press'; readonly pick: number; readonly digit: string }
  /** One of the timers that run, counted round; that of max_duration seldom. */
  | { readonly type: 'fire'; readonly pick: number }
  | { readonly type: 'activate' | 'end' };
type Picks = 'all' | readonly number[];

const audio = { url: 'https://example.com/a.mp3', method: 'GET' } as const;
const sound = fc.constantFrom<EdgeSound>('none', 'beep:1', 'beep:2', audio);
const legAction = (type: 'leg-ringing' | 'leg-answered' | 'leg-ended' | 'leg-here' | 'leg-taken') =>
  pick.map((each): Action => ({ type, pick: each }));

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      type: fc.constant('add' as const),
      phones: fc.constantFrom(1, 1, 2, 3),
      requested: fc.record({
        origin: fc.constantFrom<Origin>('dialled', 'taken', 'borrowed'),
        role,
        mute: rarely,
        hold: rarely,
        coachMode: flag,
        startsOnEnter: flag,
        endsOnExit: rarely,
        enterSound: sound,
        exitSound: sound,
        delaySeconds: fc.constantFrom(0, 0, 0, 5),
        confirmation: fc.constantFrom(null, null, { key: '1', sound: null }, { key: '1', sound: audio }),
        dialMusic: fc.constantFrom<DialMusic>('none', 'real', { url: audio.url }),
        relaysDigits: flag,
        joinsOthersOnly: rarely,
        onExitAction: fc.constantFrom(null, { url: 'https://example.com/exit', method: 'POST' } as const),
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
  { weight: 4, arbitrary: pick.map((each): Action => ({ type: 'cancel-request', pick: each })) },
  {
    weight: 20,
    arbitrary: fc.record({
      type: fc.constant('press' as const),
      pick,
      digit: fc.constantFrom('1', '1', '1', '5'),
    }),
  },
  { weight: 12, arbitrary: pick.map((each): Action => ({ type: 'fire', pick: each })) },
  { weight: 5, arbitrary: fc.constant<Action>({ type: 'activate' }) },
  { weight: 1, arbitrary: fc.constant<Action>({ type: 'end' }) },
);

interface Walk {
  readonly initial: 'active' | 'initialized';
  readonly stayAlone: boolean;
  readonly waitsForAgent: boolean;
  readonly actions: readonly Action[];
}

function walk(
  { initial, stayAlone, waitsForAgent, actions }: Walk,
  check: (room: Room, outside: Outside) => void,
): void {
  const outside = new Outside();
  const room = Room.created(
    initial,
    { role: waitsForAgent ? 'customer' : 'agent' },
    { stayAlone, waitsForAgent, waitSeconds: 60 },
  );
  let lastMember = 1;
  const settle = () => {
    for (const effect of room.effects) {
      outside.obey(effect);
      // Between any two orders the rule holds already, not only after the last.
      assertNoForbiddenEdge(outside, room.call.participants);
    }
    check(room, outside);
  };
  settle();
  for (const each of actions) {
    const input = inputOf(each, room, outside, lastMember + 1);
    if (input === undefined) continue;
    if (input.type === 'add-participant') lastMember += input.rivals.length;
    if (input.type === 'timer-fired') outside.timers.delete(input.key);
    if (input.type === 'leg-digit' && input.digit === '1') outside.confirmed.add(input.leg);
    if (input.type === 'leg-ended' || input.type === 'leg-taken') outside.gone.add(input.leg);
    if (input.type === 'leg-here') handOver(input.leg, room, outside);
    room.after(0.7).send(input);
    settle();
  }
}

/** Legs are handed over before the input reaches the call. The requester lets go of a leg whose participant has left. */
function handOver(leg: string, room: Room, outside: Outside): void {
  const participant = room.call.participants.find((each) => each.leg === leg);
  if (participant === undefined || participant.phase === 'exited' || participant.origin === 'dialled') return;
  outside.handedOver.set(leg, participant.origin);
}

/** Undefined for impossible inputs: signalling reports nothing about a leg after its end, and no answer after a hang-up. */
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
    case 'add': {
      const requestUuid = `request-${nextMember}`;
      const rival = (at: number) => requested(nextMember + at, { ...action.requested, requestUuid });
      if (action.requested.origin !== 'dialled') {
        const handedOver = { ...rival(0), delaySeconds: 0 };
        const { origin, confirmation } = action.requested;
        return {
          type: 'add-participant',
          rivals: [{ ...handedOver, confirmation: origin === 'borrowed' ? null : confirmation }],
        };
      }
      const others = Array.from({ length: action.phones - 1 }, (_, index) => rival(index + 1));
      return { type: 'add-participant', rivals: [rival(0), ...others] };
    }
    case 'fire': {
      const running = [...outside.timers].filter((key) => key !== 'max-duration' || action.pick === 9);
      const key = running[action.pick % running.length];
      return key === undefined ? undefined : { type: 'timer-fired', key };
    }
    case 'press': {
      const leg = `leg-${memberAt(action.pick)}`;
      const phase = participants.find((each) => each.leg === leg)?.phase;
      if (outside.gone.has(leg) || outside.isLetGo(leg)) return undefined;
      if (phase !== 'confirming' && phase !== 'joined') return undefined;
      return { type: 'leg-digit', leg, digit: action.digit };
    }
    case 'update':
      return { type: 'update', members: membersAt(action.picks), switches: action.switches };
    case 'kick':
      return { type: 'kick', members: membersAt(action.picks) };
    case 'cancel-request': {
      const requestUuid = participants[action.pick % participants.length]?.requestUuid ?? 'unknown';
      return { type: 'cancel-request', requestUuid };
    }
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
      if (outside.gone.has(leg) || outside.givenBack.has(leg) || outside.exited.has(leg)) return undefined;
      const isToBeDialled = participants.some((each) => each.leg === leg && each.origin === 'dialled');
      if (isToBeDialled && !outside.dialled.has(leg)) return undefined;
      // The only notice about a leg before its handover is its end.
      const isOurs = outside.dialled.has(leg) || outside.handedOver.has(leg);
      if (!isOurs && action.type !== 'leg-ended') return undefined;
      if (action.type !== 'leg-ended' && outside.hungUp.has(leg)) return undefined;
      return { type: action.type, leg };
    }
    default:
      return { type: action.type };
  }
}

/** No customer hears a coach, and no participant on hold hears or is heard, between any two orders. */
function assertNoForbiddenEdge(outside: Outside, participants: readonly Participant[]): void {
  const byLeg = new Map(participants.map((each) => [each.leg, each]));
  for (const [leg, hears] of outside.edges) {
    assert.ok(!hears.includes(leg), 'no participant hears itself');
    for (const heard of hears) {
      const [listener, speaker] = [byLeg.get(leg), byLeg.get(heard)];
      for (const each of [listener, speaker]) {
        assert.ok(each === undefined || !isPending(each), 'a participant without a join has no edge');
      }
      // The first order about a participant that left replaces the table of the last step.
      if (listener?.phase !== 'joined' || speaker?.phase !== 'joined') continue;
      assert.ok(
        !(speaker.role === 'supervisor' && speaker.coachMode && listener.role !== 'agent'),
        'a coaching supervisor is heard by agents alone',
      );
      assert.ok(!listener.hold && !speaker.hold, 'hold neither hears nor speaks');
      assert.ok(!speaker.mute, 'no participant hears a muted participant');
    }
  }
}

const anyWalk = fc.record({
  initial: fc.constantFrom<Walk['initial']>('active', 'initialized'),
  stayAlone: flag,
  waitsForAgent: flag,
  actions: fc.array(action, { maxLength: 40 }),
});
const runs = { numRuns: 300 };

describe('a multiparty call with any inputs in any order', () => {
  it('the mix follows the participants: table, membership and music', () => {
    fc.assert(
      fc.property(anyWalk, (each) =>
        walk(each, ({ call }, outside) => {
          const present = call.participants.filter(({ phase }) => phase === 'joined');
          assert.deepEqual([...outside.edges.keys()].sort(), present.map(({ leg }) => leg).sort());
          if (call.status === 'initialized') {
            for (const hears of outside.edges.values()) assert.deepEqual(hears, []);
          }
          const withMusic = present.filter(({ hold }) => hold || call.status === 'initialized');
          const loops = [...outside.loops].filter(([key]) => key.startsWith('music:'));
          assert.deepEqual(loops.map(([, leg]) => leg).sort(), withMusic.map(({ leg }) => leg).sort());
          const dialSounds = [...outside.loops, ...outside.sounds].filter(([key]) => key.startsWith('dial:'));
          for (const [, leg] of dialSounds) {
            assert.deepEqual(outside.edges.get(leg), [], 'music of dialling is for members in silence');
          }
          const asked = call.participants.filter(
            ({ phase, confirmation }) => phase === 'confirming' && confirmation?.sound != null,
          );
          const questions = [...outside.sounds.keys()].filter((key) => key.startsWith('confirm:'));
          assert.deepEqual(questions.sort(), asked.map(({ leg }) => `confirm:${leg}`).sort());
        }),
      ),
      runs,
    );
  });

  it('a call never holds more than max_participants', () => {
    fc.assert(
      fc.property(anyWalk, (each) =>
        walk(each, ({ call }) => {
          const live = call.participants.filter(({ phase }) => phase !== 'exited');
          assert.ok(slotsOf(live) <= call.maxParticipants);
        }),
      ),
      runs,
    );
  });

  it('a call ends at most once, with a cause, and leaves no leg, sound or timer behind', () => {
    fc.assert(
      fc.property(anyWalk, (each) =>
        walk(each, ({ call }, outside) => {
          const hasEnded = call.status === 'ended';
          assert.equal(outside.ends, hasEnded ? 1 : 0);
          assert.equal(outside.mixes, hasEnded ? 0 : 1);
          const timed = call.participants.filter(
            ({ phase }) => phase === 'delayed' || phase === 'confirming',
          ).length;
          const isWaiting = call.status === 'initialized' && call.waitsForAgent;
          assert.equal(outside.timers.size, hasEnded ? 0 : 1 + timed + (isWaiting ? 1 : 0));
          if (hasEnded) assert.equal(outside.sounds.size, 0);
          assert.equal(call.termination !== null && call.endedAt !== null, hasEnded);
          const live = call.participants.filter(({ phase }) => phase !== 'exited');
          assert.equal(
            live.length === 0,
            hasEnded,
            'a call lives exactly as long as a participant is present or dialled',
          );
          if (!hasEnded) return;
          for (const leg of [...outside.dialled, ...outside.handedOver.keys()]) {
            assert.ok(outside.gone.has(leg) || outside.isLetGo(leg), `${leg} was left in a dead call`);
          }
        }),
      ),
      runs,
    );
  });

  it('an active call without stay_alone never goes on with one participant left alone', () => {
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
