import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MultipartyCallInput } from './multiparty-call.ts';
import { terminationCauses } from './termination.ts';
import { Room, requested, start } from './testing/room.ts';

const mute = (memberId: number): MultipartyCallInput => ({
  type: 'update',
  members: [memberId],
  switches: { mute: true },
});

describe('created', () => {
  it('with start_mpc_on_enter: Active at once, with a start time', () => {
    const room = Room.created('active');
    assert.equal(room.call.status, 'active');
    assert.equal(room.call.startedAt, start);
    assert.deepEqual(room.orders, ['open-mix', 'start-timer', 'dial']);
    assert.deepEqual(room.events, ['started', 'add-participant-initiated']);
    assert.equal(room.reply, 'done');
  });

  it('without start_mpc_on_enter: Initialized, without a start time', () => {
    const room = Room.created('initialized');
    assert.equal(room.call.status, 'initialized');
    assert.equal(room.call.startedAt, null);
    assert.deepEqual(room.events, ['initialized', 'add-participant-initiated']);
  });

  it('max_duration runs from initiation', () => {
    const room = Room.created('initialized', {}, { maxDurationSeconds: 300 });
    assert.deepEqual(
      room.effects.find((effect) => effect.do === 'start-timer'),
      { do: 'start-timer', key: 'max-duration', at: start + 300_000 },
    );
  });
});

describe('add-participant', () => {
  it('dials, in either live status', () => {
    for (const status of ['active', 'initialized'] as const) {
      const room = Room.created(status).add(2);
      assert.deepEqual(room.orders, ['dial']);
      assert.deepEqual(room.phases, { 1: 'dialling', 2: 'dialling' });
      assert.equal(room.call.status, status);
    }
  });

  it('counts everyone dialled or present towards max_participants, whatever the role', () => {
    const room = Room.created('active', {}, { maxParticipants: 2 }).add(2, { role: 'supervisor' });
    const before = room.call;
    assert.deepEqual(room.add(3).reply, { because: 'full', maxParticipants: 2 });
    assert.equal(room.call, before, 'nothing is written');
    assert.equal(room.hangUp(2).add(3).reply, 'done', 'a departure frees a slot');
  });

  it('keeps coach mode only for a supervisor', () => {
    const room = Room.created('active', { role: 'customer' }).add(2, { role: 'supervisor' });
    assert.deepEqual(
      room.call.participants.map((each) => each.coachMode),
      [false, true],
    );
  });
});

describe('leg-ringing', () => {
  it('is recorded once, before the answer only', () => {
    const room = Room.created().send({ type: 'leg-ringing', leg: 'leg-1' });
    assert.deepEqual(room.phases, { 1: 'ringing' });
    const rings = room.call;
    assert.equal(room.send({ type: 'leg-ringing', leg: 'leg-1' }).call, rings);
    assert.deepEqual(room.answer(1).send({ type: 'leg-ringing', leg: 'leg-1' }).phases, { 1: 'joined' });
  });

  it('leg-ringing of an unknown leg changes nothing', () => {
    const room = Room.created();
    const before = room.call;
    assert.equal(room.send({ type: 'leg-ringing', leg: 'leg-9' }).call, before);
  });
});

describe('leg-answered', () => {
  it('joins through the hearing table alone, before any sound', () => {
    const room = Room.created().answer(1).add(2, { enterSound: 'beep:1' }).answer(2);
    assert.deepEqual(room.orders, ['set-hearing', 'play']);
    assert.deepEqual(room.table, { 'leg-1': ['leg-2'], 'leg-2': ['leg-1'] });
    assert.deepEqual(room.events, ['participant-joined', 'add-participant-completed']);
  });

  it('the first join moves the start time of a call that was created active', () => {
    const room = Room.created().after(7).answer(1);
    assert.equal(room.call.startedAt, start + 7000);
    assert.equal(room.after(3).join(2).call.startedAt, start + 7000);
  });

  it('a participant with start_mpc_on_enter starts a waiting call, and edges appear', () => {
    const room = Room.created('initialized').answer(1).after(5).add(2, { startsOnEnter: true });
    assert.equal(room.call.status, 'initialized', 'being dialled starts nothing');
    room.answer(2);
    assert.equal(room.call.status, 'active');
    assert.equal(room.call.startedAt, start + 5000);
    assert.deepEqual(room.table, { 'leg-1': ['leg-2'], 'leg-2': ['leg-1'] });
    assert.deepEqual(room.orders, ['set-hearing', 'stop-play']);
    assert.deepEqual(room.events, ['started', 'participant-joined', 'add-participant-completed']);
  });

  it('a participant without start_mpc_on_enter waits with music and without edges', () => {
    const room = Room.created('initialized', { enterSound: 'beep:1' }).answer(1);
    assert.equal(room.call.status, 'initialized');
    assert.deepEqual(room.table, { 'leg-1': [] });
    assert.deepEqual(room.orders, ['set-hearing', 'play']);
    assert.deepEqual(
      room.effects.find((effect) => effect.do === 'play'),
      { do: 'play', key: 'music:leg-1', to: ['leg-1'], sound: { kind: 'hold-music' }, loop: true },
    );
  });

  it('a coaching supervisor joins without an edge to a customer', () => {
    const room = Room.created('active', { role: 'customer' })
      .answer(1)
      .join(2)
      .add(3, { role: 'supervisor' })
      .answer(3);
    assert.deepEqual(room.table, {
      'leg-1': ['leg-2'],
      'leg-2': ['leg-1', 'leg-3'],
      'leg-3': ['leg-1', 'leg-2'],
    });
  });

  it('a participant added on hold hears music and no other participant', () => {
    const room = Room.created().answer(1).add(2, { hold: true }).answer(2);
    assert.deepEqual(room.table, { 'leg-1': [], 'leg-2': [] });
    assert.deepEqual(room.orders, ['set-hearing', 'play']);
  });

  it('a second answer, an answer of an unknown leg and an answer after a kick change nothing', () => {
    const room = Room.created()
      .answer(1)
      .join(2)
      .send({ type: 'kick', members: [2] });
    const before = room.call;
    for (const leg of ['leg-1', 'leg-2', 'leg-9']) {
      room.send({ type: 'leg-answered', leg });
      assert.equal(room.call, before);
      assert.deepEqual(room.effects, []);
    }
  });
});

describe('leg-ended', () => {
  it('takes the leg out of the mix, then plays the exit sound to the others', () => {
    const room = Room.created().answer(1).join(2).join(3, { exitSound: 'beep:2' }).after(61.2).hangUp(3);
    assert.deepEqual(room.orders, ['set-hearing', 'play']);
    assert.deepEqual(room.table, { 'leg-1': ['leg-2'], 'leg-2': ['leg-1'] });
    const gone = room.call.participants.find((each) => each.memberId === 3);
    assert.equal(gone?.exitCause, 'Participant Call Hangup');
    assert.equal(gone?.exitedAt, start + 61_200);
    assert.deepEqual(room.events, ['participant-exited']);
    assert.deepEqual(room.hangUps, [], 'its leg has ended by itself');
  });

  it('the end of a leg that never joined completes its adding, and is no exit', () => {
    const room = Room.created().answer(1).add(2).hangUp(2);
    assert.deepEqual(room.events, ['add-participant-completed']);
    assert.deepEqual(room.orders, []);
    assert.equal(room.call.status, 'active');
  });

  it('the end of the last leg ends the call with 1000, in either live status', () => {
    for (const status of ['active', 'initialized'] as const) {
      const room = Room.created(status).answer(1).after(10).hangUp(1);
      assert.equal(room.call.status, 'ended');
      assert.equal(room.call.termination, 1000);
      assert.equal(room.call.endedAt, start + 10_000);
      assert.deepEqual(room.orders, ['close-mix', 'cancel-timer']);
      assert.deepEqual(room.events, ['participant-exited', 'ended']);
      assert.deepEqual(room.phases, { 1: 'exited' });
    }
  });

  it('the end of the only dialled leg ends the call with 1000', () => {
    const room = Room.created().hangUp(1);
    assert.equal(room.call.termination, 1000);
    assert.deepEqual(room.events, ['add-participant-completed', 'ended']);
  });

  it('does not end the call while another is being dialled', () => {
    const room = Room.created().answer(1).add(2).hangUp(1);
    assert.equal(room.call.status, 'active');
    assert.equal(room.hangUp(2).call.termination, 1000);
  });

  it('one participant left alone without stay_alone: 1010, even while a third rings; its legs are hung up', () => {
    const room = Room.created().answer(1).join(2).add(3).hangUp(1);
    assert.equal(room.call.termination, 1010);
    assert.deepEqual(room.hangUps, ['leg-2 call-ended', 'leg-3 call-ended']);
    assert.deepEqual(
      room.call.participants.map((each) => each.exitCause),
      ['Participant Call Hangup', 'Multiparty Call Ended', 'Multiparty Call Ended'],
    );
  });

  it('one participant left alone with stay_alone: the call goes on', () => {
    const room = Room.created('active', {}, { stayAlone: true }).answer(1).join(2).hangUp(1);
    assert.equal(room.call.status, 'active');
    assert.deepEqual(room.phases, { 1: 'exited', 2: 'joined' });
  });

  it('a single participant before a second has joined is not left alone', () => {
    const room = Room.created().answer(1).add(2).hangUp(2);
    assert.equal(room.call.status, 'active');
  });

  it('one participant left alone in a call that waits for its start: it keeps waiting', () => {
    const room = Room.created('initialized').answer(1).join(2, { startsOnEnter: false }).hangUp(1);
    assert.equal(room.call.status, 'initialized');
  });

  it('the exit of a participant with end_mpc_on_exit ends the call with 1000 and hangs the others up', () => {
    const room = Room.created('active', { endsOnExit: true }).answer(1).join(2).join(3).hangUp(1);
    assert.equal(room.call.termination, 1000);
    assert.deepEqual(room.hangUps, ['leg-2 call-ended', 'leg-3 call-ended']);
  });

  it('a participant with end_mpc_on_exit that never joined does not end the call', () => {
    const room = Room.created().answer(1).join(2).add(3, { endsOnExit: true }).hangUp(3);
    assert.equal(room.call.status, 'active');
  });
});

describe('activate', () => {
  it('starts a call that is Initialized', () => {
    const room = Room.created('initialized').answer(1).join(2, { startsOnEnter: false }).after(4);
    room.send({ type: 'activate' });
    assert.equal(room.call.status, 'active');
    assert.equal(room.call.startedAt, start + 4000);
    assert.deepEqual(room.orders, ['set-hearing', 'stop-play', 'stop-play']);
    assert.deepEqual(room.events, ['started']);
    assert.equal(room.reply, 'done');
  });

  it('is refused for a call that is Active', () => {
    const room = Room.created();
    const before = room.call;
    assert.deepEqual(room.send({ type: 'activate' }).reply, { because: 'not-initialized' });
    assert.equal(room.call, before);
  });
});

describe('end', () => {
  it('ends with 3000 and hangs up everyone dialled or present, in either live status', () => {
    for (const status of ['active', 'initialized'] as const) {
      const room = Room.created(status).answer(1).add(2).after(1.5).send({ type: 'end' });
      assert.equal(room.call.termination, 3000);
      assert.deepEqual(room.hangUps, ['leg-1 end-requested', 'leg-2 end-requested']);
      assert.equal(room.orders[0], 'close-mix', 'the mix is closed while legs are being hung up');
      assert.equal(room.reply, 'done');
      assert.deepEqual(room.phases, { 1: 'exited', 2: 'exited' });
    }
  });
});

describe('max_duration', () => {
  it('ends with 2000, in either live status', () => {
    for (const status of ['active', 'initialized'] as const) {
      const room = Room.created(status).answer(1).send({ type: 'timer-fired', key: 'max-duration' });
      assert.equal(room.call.termination, 2000);
      assert.deepEqual(room.hangUps, ['leg-1 call-ended']);
    }
  });
});

describe('update', () => {
  it('mute removes the edges to the participant', () => {
    const room = Room.created().answer(1).join(2).send(mute(1));
    assert.deepEqual(room.table, { 'leg-1': ['leg-2'], 'leg-2': [] });
    assert.deepEqual(room.events, ['participant-muted']);
  });

  it('a repeated update succeeds without writes or orders', () => {
    const room = Room.created().answer(1).join(2).send(mute(1));
    const before = room.call;
    assert.equal(room.send(mute(1)).call, before);
    assert.deepEqual(room.effects, [{ do: 'reply', reply: 'done' }]);
  });

  it('hold takes the edges away before the music starts, and the music away when it ends', () => {
    const room = Room.created().answer(1).join(2);
    room.send({ type: 'update', members: [2], switches: { hold: true } });
    assert.deepEqual(room.orders, ['set-hearing', 'play']);
    assert.deepEqual(room.table, { 'leg-1': [], 'leg-2': [] });
    assert.deepEqual(room.events, ['participant-held']);
    room.send({ type: 'update', members: [2], switches: { hold: false } });
    assert.deepEqual(room.orders, ['set-hearing', 'stop-play']);
    assert.deepEqual(room.table, { 'leg-1': ['leg-2'], 'leg-2': ['leg-1'] });
    assert.deepEqual(room.events, ['participant-unheld']);
  });

  it('coach mode off and on moves the edge first, then beeps once', () => {
    const room = Room.created('active', { role: 'customer' }).answer(1).join(2, { role: 'supervisor' });
    const hearsCoach = () => room.table?.['leg-1'];
    room.send({ type: 'update', members: [2], switches: { coachMode: false } });
    assert.deepEqual(hearsCoach(), ['leg-2']);
    assert.deepEqual(room.events, ['coaching-stopped']);
    room.send({ type: 'update', members: [2], switches: { coachMode: true } });
    assert.deepEqual(hearsCoach(), []);
    assert.deepEqual(room.orders, ['set-hearing', 'play']);
    assert.deepEqual(
      room.effects.find((effect) => effect.do === 'play'),
      {
        do: 'play',
        key: 'coach:leg-2',
        to: ['leg-1', 'leg-2'],
        sound: { kind: 'beep', count: 1 },
        loop: false,
      },
    );
    assert.deepEqual(room.events, ['coaching-started']);
  });

  it('several or all change at once, and a dialled participant joins as changed', () => {
    const room = Room.created().answer(1).join(2).add(3);
    room.send({ type: 'update', members: 'all', switches: { mute: true } });
    assert.deepEqual(room.events, Array(3).fill('participant-muted'));
    assert.deepEqual(room.table, { 'leg-1': [], 'leg-2': [] });
    room.send({ type: 'update', members: [1, 3], switches: { mute: false } });
    assert.deepEqual(room.events, Array(2).fill('participant-unmuted'));
    assert.deepEqual(room.answer(3).table?.['leg-2'], ['leg-1', 'leg-3']);
  });

  it('an update is refused as a whole when one member is unknown or left', () => {
    const room = Room.created().answer(1).join(2).join(3).hangUp(3);
    const before = room.call;
    room.send({ type: 'update', members: [1, 3], switches: { mute: true } });
    assert.deepEqual(room.reply, { because: 'no-such-member', memberId: 3 });
    assert.equal(room.call, before);
  });

  it('an update of coach_mode is refused for other roles', () => {
    const room = Room.created().answer(1);
    room.send({ type: 'update', members: [1], switches: { coachMode: true, mute: true } });
    assert.deepEqual(room.reply, { because: 'not-a-supervisor', memberId: 1 });
    assert.equal(room.call.participants[0]?.mute, false);
  });
});

describe('kick', () => {
  it('takes out of the mix first, hangs up second', () => {
    const room = Room.created()
      .answer(1)
      .join(2)
      .join(3)
      .send({ type: 'kick', members: [3] });
    assert.deepEqual(room.orders, ['set-hearing', 'hang-up']);
    assert.deepEqual(room.hangUps, ['leg-3 kicked']);
    assert.equal(room.call.participants[2]?.exitCause, 'Kicked Out of Multiparty Call');
    assert.equal(room.reply, 'done');
    assert.deepEqual(room.hangUp(3).effects, [], 'the end of the kicked leg has no effects');
  });

  it('a kick of all ends the call with 1000; each leg is hung up once, as kicked', () => {
    const room = Room.created().answer(1).join(2).add(3).send({ type: 'kick', members: 'all' });
    assert.equal(room.call.termination, 1000);
    assert.deepEqual(room.hangUps, ['leg-1 kicked', 'leg-2 kicked', 'leg-3 kicked']);
  });

  it('a kick of all but one participant ends the call with 1010', () => {
    const room = Room.created()
      .answer(1)
      .join(2)
      .join(3)
      .send({ type: 'kick', members: [1, 2] });
    assert.equal(room.call.termination, 1010);
    assert.deepEqual(room.hangUps, ['leg-3 call-ended', 'leg-1 kicked', 'leg-2 kicked']);
  });

  it('a kick of a dialled participant cancels the dialling', () => {
    const room = Room.created()
      .answer(1)
      .add(2)
      .send({ type: 'kick', members: [2] });
    assert.deepEqual(room.orders, ['hang-up']);
    assert.equal(room.call.status, 'active');
  });

  it('is refused as a whole when one member is unknown', () => {
    const room = Room.created()
      .answer(1)
      .join(2)
      .send({ type: 'kick', members: [2, 77] });
    assert.deepEqual(room.reply, { because: 'no-such-member', memberId: 77 });
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'joined' });
  });
});

describe('process-restarted', () => {
  it('ends with 1000 and only emits events: legs, mix and timer are gone', () => {
    const room = Room.created()
      .answer(1)
      .add(2)
      .after(3_600)
      .send({ type: 'process-restarted', diedAt: start + 30_000 });
    assert.equal(room.call.termination, 1000);
    assert.equal(room.call.endedAt, start + 30_000);
    assert.deepEqual(room.orders, []);
    assert.deepEqual(room.events, ['participant-exited', 'add-participant-completed', 'ended']);
    assert.deepEqual(room.phases, { 1: 'exited', 2: 'exited' });
  });

  it('ends at max_duration at the latest, whatever the clock says', () => {
    const room = Room.created().answer(1);
    room.send({ type: 'process-restarted', diedAt: Number.MAX_SAFE_INTEGER });
    assert.equal(room.call.endedAt, room.call.createdAt + room.call.maxDurationSeconds * 1000);
  });
});

describe('an ended call', () => {
  const asked: readonly MultipartyCallInput[] = [
    { type: 'add-participant', rivals: [requested(5)] },
    { type: 'activate' },
    { type: 'end' },
    { type: 'update', members: 'all', switches: { mute: true } },
    { type: 'kick', members: 'all' },
  ];
  const notices: readonly MultipartyCallInput[] = [
    { type: 'created', rivals: [requested(5)] },
    { type: 'leg-ringing', leg: 'leg-1' },
    { type: 'leg-answered', leg: 'leg-1' },
    { type: 'leg-ended', leg: 'leg-1' },
    { type: 'timer-fired', key: 'max-duration' },
    { type: 'process-restarted', diedAt: Number.MAX_SAFE_INTEGER },
  ];

  it('refuses every request with "ended" and ignores other inputs', () => {
    const room = Room.created().answer(1).send({ type: 'end' });
    const before = room.call;
    for (const input of asked) {
      assert.deepEqual(room.send(input).effects, [{ do: 'reply', reply: { because: 'ended' } }], input.type);
    }
    for (const input of notices) assert.deepEqual(room.send(input).effects, [], input.type);
    assert.equal(room.call, before);
  });

  it('names its cause as the interface does', () => {
    assert.deepEqual(terminationCauses, {
      1000: 'No Active Participants',
      1010: 'Stay Alone Not Permitted',
      2000: 'Max Duration Reached',
      3000: 'Hangup API Triggered',
    });
  });
});

describe('sounds of entering and leaving', () => {
  it('reach the conversation, not members on hold', () => {
    const room = Room.created().answer(1).join(2, { hold: true }).add(3, { enterSound: 'beep:2' }).answer(3);
    assert.deepEqual(
      room.effects.find((effect) => effect.do === 'play'),
      {
        do: 'play',
        key: 'enter:leg-3',
        to: ['leg-1', 'leg-3'],
        sound: { kind: 'beep', count: 2 },
        loop: false,
      },
    );
  });

  it('are silent when none is requested', () => {
    const room = Room.created().answer(1).join(2).join(3).hangUp(3);
    assert.deepEqual(room.orders, ['set-hearing']);
  });
});
