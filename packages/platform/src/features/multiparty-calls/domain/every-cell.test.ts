import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MultipartyCallInput, MultipartyCallReply } from './multiparty-call.ts';
import type { ParticipantPhase } from './participant.ts';
import type { RequestedPlay } from './room-play.ts';
import { Room, requested } from './testing/room.ts';

type Phase = ParticipantPhase;
type Inputs = Readonly<Record<string, MultipartyCallInput>>;

const leg = 'leg-2';
const confirmation = { key: '1', sound: null };

/** A call with a joined participant, and a second participant in each phase. */
const phases: Readonly<Record<Exclude<Phase, 'exited'>, () => Room>> = {
  delayed: () => base().add(2, { confirmation, delaySeconds: 5 }),
  dialling: () => base().add(2, { confirmation }),
  ringing: () => base().add(2, { confirmation }).send({ type: 'leg-ringing', leg }),
  confirming: () => base().add(2, { confirmation }).answer(2),
  joined: () => base().add(2, { confirmation }).answer(2).press(2, '1'),
};

function base(): Room {
  return Room.created('active', {}, { stayAlone: true }).answer(1);
}

const requestedPlay: RequestedPlay = {
  key: 'p',
  of: 'play',
  items: [],
  loop: 1,
  alone: false,
  lengthMs: null,
  callback: null,
};

const inputs = {
  'leg-ringing': { type: 'leg-ringing', leg },
  'leg-answered': { type: 'leg-answered', leg },
  'leg-ended': { type: 'leg-ended', leg },
  'leg-taken': { type: 'leg-taken', leg },
  'leg-here, answered': { type: 'leg-here', leg, isAnswered: true },
  'leg-here, ringing': { type: 'leg-here', leg, isAnswered: false },
  'the right key': { type: 'leg-digit', leg, digit: '1' },
  'a wrong key': { type: 'leg-digit', leg, digit: '2' },
  'leg-voice': { type: 'leg-voice', leg, speaking: true },
  'its delay over': { type: 'timer-fired', key: `delay:${leg}` },
  'its time to confirm over': { type: 'timer-fired', key: `confirm:${leg}` },
  'wait-for-agent over': { type: 'timer-fired', key: 'wait-for-agent' },
  'max-duration over': { type: 'timer-fired', key: 'max-duration' },
  'add-participant': { type: 'add-participant', rivals: [requested(3)] },
  activate: { type: 'activate' },
  'mute all': { type: 'update', members: 'all', switches: { mute: true } },
  kick: { type: 'kick', members: [2] },
  'cancel-request': { type: 'cancel-request', requestUuid: 'request-2' },
  play: { type: 'play', requested: requestedPlay, members: [2] },
  'stop-play': { type: 'stop-play', of: 'play', members: [2] },
  'sound-over': { type: 'sound-over', key: 'play:p:leg-2', hasFailed: false },
  end: { type: 'end' },
  'process-restarted': { type: 'process-restarted', diedAt: Number.MAX_SAFE_INTEGER },
} as const satisfies Inputs;

const [D, d, r, c, j, x] = ['delayed', 'dialling', 'ringing', 'confirming', 'joined', 'exited'] as const;

/** Input → next phase of a participant that is delayed, dialling, ringing, confirming, joined. */
const cells: Readonly<Record<keyof typeof inputs, readonly Phase[]>> = {
  'leg-ringing': [D, r, r, c, j],
  'leg-answered': [D, c, c, c, j],
  'leg-ended': [x, x, x, x, x],
  'leg-taken': [x, x, x, x, x],
  'leg-here, answered': [D, c, c, c, j],
  'leg-here, ringing': [D, r, r, c, j],
  'the right key': [D, d, r, j, j],
  'a wrong key': [D, d, r, x, j],
  'leg-voice': [D, d, r, c, j],
  'its delay over': [d, d, r, c, j],
  'its time to confirm over': [D, d, r, x, j],
  'wait-for-agent over': [D, d, r, c, j],
  'max-duration over': [x, x, x, x, x],
  'add-participant': [D, d, r, c, j],
  activate: [D, d, r, c, j],
  'mute all': [D, d, r, c, j],
  kick: [x, x, x, x, x],
  'cancel-request': [x, x, x, c, j],
  play: [D, d, r, c, j],
  'stop-play': [D, d, r, c, j],
  'sound-over': [D, d, r, c, j],
  end: [x, x, x, x, x],
  'process-restarted': [x, x, x, x, x],
};

describe('every phase of a participant, and every input', () => {
  for (const [name, input] of Object.entries(inputs)) {
    it(name, () => {
      const row = cells[name as keyof typeof inputs];
      Object.values(phases).forEach((roomIn, column) => {
        const room = roomIn();
        const before = room.phases[2];
        room.send(input);
        assert.equal(room.phases[2], row[column], `${name} in phase ${before}`);
      });
    });
  }

  it('an input about a participant that left or is unknown changes no participant', () => {
    for (const [name, input] of Object.entries(inputs)) {
      if (!('leg' in input) && input.type !== 'timer-fired') continue;
      if (name === 'max-duration over') continue;
      for (const room of [base(), phases.joined().hangUp(2).add(9)]) {
        const { call } = room;
        room.send(input);
        assert.equal(room.call, call, name);
      }
    }
  });
});

type Outcome = readonly [status: 'initialized' | 'active' | 'ended', reply?: MultipartyCallReply | string];

const waiting = () => Room.created('initialized').answer(1);
const active = () => Room.created('active', {}, { stayAlone: true }).answer(1);
const over = () => active().send({ type: 'end' });

const ofCall = {
  'add-participant': { type: 'add-participant', rivals: [requested(2)] },
  activate: { type: 'activate' },
  end: { type: 'end' },
  'mute all': { type: 'update', members: 'all', switches: { mute: true } },
  'mute an unknown member': { type: 'update', members: [7], switches: { mute: true } },
  'kick all': { type: 'kick', members: 'all' },
  'kick an unknown member': { type: 'kick', members: [7] },
  'cancel a request of which no phone waits': { type: 'cancel-request', requestUuid: 'request-1' },
  'play to all': { type: 'play', requested: requestedPlay, members: 'all' },
  'play to an unknown member': { type: 'play', requested: requestedPlay, members: [7] },
  'stop what is played': { type: 'stop-play', of: 'play', members: 'all' },
  'a sound is over': { type: 'sound-over', key: 'play:p:leg-1', hasFailed: true },
  'leg-here of an unknown leg': { type: 'leg-here', leg: 'leg-7', isAnswered: true },
  'the last leg ends': { type: 'leg-ended', leg: 'leg-1' },
  'the last leg is taken': { type: 'leg-taken', leg: 'leg-1' },
  'max-duration over': { type: 'timer-fired', key: 'max-duration' },
  'wait-for-agent over': { type: 'timer-fired', key: 'wait-for-agent' },
  'process-restarted': { type: 'process-restarted', diedAt: Number.MAX_SAFE_INTEGER },
} as const satisfies Inputs;

/** Input → status and reply of a waiting and of an active call, and the reply of an ended call. */
const callCells: Readonly<Record<keyof typeof ofCall, readonly [Outcome, Outcome, Outcome]>> = {
  'add-participant': [
    ['initialized', 'done'],
    ['active', 'done'],
    ['ended', 'ended'],
  ],
  activate: [
    ['active', 'done'],
    ['active', 'not-initialized'],
    ['ended', 'ended'],
  ],
  end: [
    ['ended', 'done'],
    ['ended', 'done'],
    ['ended', 'ended'],
  ],
  'mute all': [
    ['initialized', 'done'],
    ['active', 'done'],
    ['ended', 'ended'],
  ],
  'mute an unknown member': [
    ['initialized', 'no-such-member'],
    ['active', 'no-such-member'],
    ['ended', 'ended'],
  ],
  'kick all': [
    ['ended', 'done'],
    ['ended', 'done'],
    ['ended', 'ended'],
  ],
  'kick an unknown member': [
    ['initialized', 'no-such-member'],
    ['active', 'no-such-member'],
    ['ended', 'ended'],
  ],
  'cancel a request of which no phone waits': [
    ['initialized', 'none-waits'],
    ['active', 'none-waits'],
    ['ended', 'ended'],
  ],
  'play to all': [
    ['initialized', 'done'],
    ['active', 'done'],
    ['ended', 'ended'],
  ],
  'play to an unknown member': [
    ['initialized', 'no-such-member'],
    ['active', 'no-such-member'],
    ['ended', 'ended'],
  ],
  'stop what is played': [
    ['initialized', 'done'],
    ['active', 'done'],
    ['ended', 'ended'],
  ],
  'a sound is over': [['initialized'], ['active'], ['ended']],
  'leg-here of an unknown leg': [
    ['initialized', 'gone'],
    ['active', 'gone'],
    ['ended', 'ended'],
  ],
  'the last leg ends': [['ended'], ['ended'], ['ended']],
  'the last leg is taken': [['ended'], ['ended'], ['ended']],
  'max-duration over': [['ended'], ['ended'], ['ended']],
  'wait-for-agent over': [['ended'], ['active'], ['ended']],
  'process-restarted': [['ended'], ['ended'], ['ended']],
};

describe('every status of a call, and every input', () => {
  for (const [name, input] of Object.entries(ofCall)) {
    it(name, () => {
      [waiting, active, over].forEach((roomIn, column) => {
        const room = roomIn().send(input);
        const [status, reply] = callCells[name as keyof typeof ofCall][column] ?? [];
        const got = typeof room.reply === 'object' ? room.reply.because : room.reply;
        assert.deepEqual([room.call.status, got], [status, reply]);
      });
    });
  }
});
