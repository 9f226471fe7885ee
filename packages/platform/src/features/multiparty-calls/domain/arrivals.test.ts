import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { confirmationSeconds } from './call-timers.ts';
import type { MultipartyCallInput } from './multiparty-call.ts';
import type { WantedParticipant } from './participant.ts';
import { Room, start, wanted } from './testing/room.ts';

const fires = (key: string): MultipartyCallInput => ({ type: 'timer-fired', key });
const rings = (memberId: number): MultipartyCallInput => ({ type: 'leg-ringing', leg: `leg-${memberId}` });
const timers = (room: Room) =>
  room.effects.flatMap((each) =>
    each.do === 'start-timer'
      ? [`start ${each.key} ${(each.at - start) / 1000}`]
      : each.do === 'cancel-timer'
        ? [`cancel ${each.key}`]
        : [],
  );

describe('several phones for one place', () => {
  const race = () => Room.created().answer(1).race([2, 3, 4]);

  it('are all dialled at once, and take one place of max_participants together', () => {
    const room = Room.created('active', {}, { maxParticipants: 3 }).answer(1).race([2, 3, 4]);
    assert.deepEqual(room.orders, ['dial', 'dial', 'dial']);
    assert.deepEqual(room.events, ['add-participant-initiated']);
    assert.equal(room.add(5).reply, 'done');
    assert.deepEqual(room.add(6).reply, { because: 'full', maxParticipants: 3 });
  });

  it('the first to answer joins, and the others are hung up as losers', () => {
    const room = race().feed(rings(2)).answer(3);
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'exited', 3: 'joined', 4: 'exited' });
    assert.deepEqual(room.hangUps, ['leg-2 lost-race', 'leg-4 lost-race']);
    assert.deepEqual(room.table, { 'leg-1': ['leg-3'], 'leg-3': ['leg-1'] });
  });

  it('adding them is completed once, by the winner', () => {
    assert.deepEqual(race().answer(3).events, ['participant-joined', 'add-participant-completed']);
  });

  it('that all fail complete it with the last', () => {
    const room = race();
    assert.deepEqual(room.hangUp(2).events, []);
    assert.deepEqual(room.hangUp(4).events, []);
    assert.deepEqual(room.hangUp(3).events, ['add-participant-completed']);
  });

  it('that are kicked together complete it once', () => {
    const room = race().feed({ type: 'kick', members: [2, 3, 4] });
    assert.deepEqual(room.events, ['add-participant-completed']);
    assert.deepEqual(room.hangUps, ['leg-2 kicked', 'leg-3 kicked', 'leg-4 kicked']);
  });

  it('a second answer that crosses with the hang-up joins nobody', () => {
    const room = race().answer(2).answer(3);
    assert.deepEqual(room.effects, []);
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'joined', 3: 'exited', 4: 'exited' });
  });

  it('the one that is kicked while it rings leaves the race, and the others go on', () => {
    const room = race().feed({ type: 'kick', members: [2] });
    assert.deepEqual(room.events, []);
    assert.deepEqual(room.answer(3).phases, { 1: 'joined', 3: 'joined', 4: 'exited' });
  });

  it('a phone that is still to be dialled is not hung up, and its timer is taken back', () => {
    const rivals = [
      wanted(2, { requestUuid: 'request-2' }),
      wanted(3, { requestUuid: 'request-2', delaySeconds: 10 }),
    ] as const;
    const room = Room.created().answer(1).feed({ type: 'add-participant', rivals });
    assert.deepEqual(room.answer(2).hangUps, []);
    assert.deepEqual(timers(room), ['cancel delay:leg-3']);
  });

  it('of a request that is cancelled: those still to be dialled are not dialled any more', () => {
    const rivals = [
      wanted(2, { requestUuid: 'request-2' }),
      wanted(3, { requestUuid: 'request-2', delaySeconds: 10 }),
      wanted(4, { requestUuid: 'request-4', delaySeconds: 10 }),
    ] as const;
    const room = Room.created()
      .answer(1)
      .feed({ type: 'add-participant', rivals: [rivals[0], rivals[1]] })
      .feed({ type: 'add-participant', rivals: [rivals[2]] })
      .feed({ type: 'leg-ended', leg: 'leg-2', isRequestCancelled: true });
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'exited', 3: 'exited', 4: 'delayed' });
    assert.deepEqual(room.events, ['add-participant-completed']);
    assert.deepEqual(timers(room), ['cancel delay:leg-3']);
  });

  it('of which one is in a call already are refused together', () => {
    const room = Room.created();
    const before = room.call;
    room.feed({ type: 'add-participant', rivals: [wanted(5), wanted(6, { leg: 'leg-1' })] });
    assert.deepEqual(room.reply, { because: 'already-in', memberId: 1 });
    assert.equal(room.call, before);
  });
});

describe('delay_dial', () => {
  const delayed = () => Room.created().answer(1).after(5).add(2, { delaySeconds: 30 });

  it('dials when its time has come', () => {
    const room = delayed();
    assert.deepEqual(room.orders, ['start-timer']);
    assert.deepEqual(timers(room), ['start delay:leg-2 35']);
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'delayed' });
    room.after(30).feed(fires('delay:leg-2'));
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'dialling' });
    assert.ok(room.orders.includes('dial'));
  });

  it('keeps a call alive that has nobody else', () => {
    const room = Room.created('active', { delaySeconds: 30 });
    assert.equal(room.call.status, 'active');
    assert.deepEqual(room.feed(fires('delay:leg-1')).phases, { 1: 'dialling' });
  });

  it('is called off by a kick and by the end of the call, without a leg to hang up', () => {
    for (const input of [{ type: 'kick', members: [2] }, { type: 'end' }] as const) {
      const room = delayed().feed(input);
      assert.ok(timers(room).includes('cancel delay:leg-2'), JSON.stringify(timers(room)));
      assert.ok(!room.hangUps.some((each) => each.startsWith('leg-2')));
      assert.ok(room.events.includes('add-participant-completed'));
    }
  });

  it('a timer that fires for somebody who has gone dials nobody', () => {
    const room = delayed().feed({ type: 'kick', members: [2] }, fires('delay:leg-2'));
    assert.deepEqual(room.effects, []);
  });
});

describe('confirm_key', () => {
  const confirmation = {
    key: '1',
    sound: { url: 'https://example.com/press-one.mp3', method: 'GET' },
  } as const;
  const asked = (more: Partial<WantedParticipant> = {}) =>
    Room.created()
      .answer(1)
      .add(2, { confirmation, enterSound: 'beep:1', ...more })
      .after(4)
      .answer(2);

  it('is asked of the phone alone: it is in no mix, hears nobody and is heard by nobody', () => {
    const room = asked();
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'confirming' });
    assert.deepEqual(room.orders, ['start-sound', 'start-timer']);
    assert.deepEqual(
      room.effects.find((each) => each.do === 'start-sound'),
      {
        do: 'start-sound',
        key: 'confirm:leg-2',
        account: 'MA',
        mainAccount: 'MA',
        to: ['leg-2'],
        items: [{ kind: 'source', ...confirmation.sound }],
        loop: 0,
        alone: true,
      },
    );
    assert.deepEqual(timers(room), [`start confirm:leg-2 ${4 + confirmationSeconds}`]);
    assert.deepEqual(room.events, []);
  });

  it('pressed: it joins as others do when they answer', () => {
    const room = asked().press(2, '1');
    assert.deepEqual(room.orders, ['set-hearing', 'stop-sound', 'play', 'cancel-timer']);
    assert.deepEqual(room.table, { 'leg-1': ['leg-2'], 'leg-2': ['leg-1'] });
    assert.deepEqual(room.events, ['participant-joined', 'add-participant-completed']);
  });

  it('another key, or none in time: hung up as not confirmed, and nobody in the room hears of it', () => {
    for (const input of [{ type: 'leg-digit', leg: 'leg-2', digit: '2' }, fires('confirm:leg-2')] as const) {
      const room = asked().feed(input);
      assert.deepEqual(room.hangUps, ['leg-2 not-confirmed']);
      assert.ok(room.orders.includes('stop-sound'));
      assert.ok(!room.orders.includes('play'));
      assert.deepEqual(room.events, ['add-participant-completed']);
      assert.deepEqual(room.phases, { 1: 'joined', 2: 'exited' });
    }
  });

  it('without a sound there is only the time', () => {
    const room = asked({ confirmation: { key: '1', sound: null } });
    assert.deepEqual(room.orders, ['start-timer']);
    assert.deepEqual(room.press(2, '1').orders, ['set-hearing', 'play', 'cancel-timer']);
  });

  it('keys before the answer and of others confirm nothing', () => {
    const room = Room.created().answer(1).add(2, { confirmation }).press(2, '1').press(1, '1');
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'dialling' });
  });

  it('the first of several phones to press it wins, not the first to answer', () => {
    const room = Room.created().answer(1).race([2, 3, 4], { confirmation }).answer(2).answer(3);
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'confirming', 3: 'confirming', 4: 'dialling' });
    room.press(3, '1');
    assert.deepEqual(room.hangUps, ['leg-2 lost-race', 'leg-4 lost-race']);
    assert.deepEqual(timers(room).sort(), ['cancel confirm:leg-2', 'cancel confirm:leg-3']);
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'exited', 3: 'joined', 4: 'exited' });
  });

  it('is asked of a live call that is moved here, too', () => {
    const room = Room.created().answer(1).add(2, { origin: 'taken', confirmation });
    room.feed({ type: 'leg-here', leg: 'leg-2', isAnswered: true });
    assert.equal(room.reply, 'done');
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'confirming' });
  });

  it('the end of the call ends the question', () => {
    const room = asked().feed({ type: 'end' });
    assert.ok(room.orders.indexOf('stop-sound') < room.orders.indexOf('close-mix'));
    assert.deepEqual(room.hangUps, ['leg-1 end-requested', 'leg-2 end-requested']);
    assert.ok(timers(room).includes('cancel confirm:leg-2'));
  });

  it('a phone whose wrong key ends the call leaves no sound behind', () => {
    const room = Room.created('active', { confirmation }).answer(1).press(1, '9');
    assert.equal(room.call.termination, 1000);
    assert.equal(room.orders.filter((each) => each === 'stop-sound').length, 1);
    assert.deepEqual(room.hangUps, ['leg-1 not-confirmed']);
  });
});

describe('create_mpc_with_single_participant=false', () => {
  it('does not join where nobody is', () => {
    const room = Room.created().answer(1).add(2, { joinsOthersOnly: true }).hangUp(1);
    assert.equal(room.call.status, 'active', 'somebody is waited for');
    room.answer(2);
    assert.deepEqual(room.hangUps, ['leg-2 alone']);
    assert.equal(room.call.termination, 1000);
  });

  it('a live call that was moved here for nothing is hung up, too', () => {
    const room = Room.created().answer(1).add(2, { origin: 'taken', joinsOthersOnly: true }).hangUp(1);
    room.feed({ type: 'leg-here', leg: 'leg-2', isAnswered: true });
    assert.deepEqual(room.hangUps, ['leg-2 alone']);
    assert.equal(room.reply, 'done');
  });

  it('joins whoever is there', () => {
    const room = Room.created().answer(1).join(2, { joinsOthersOnly: true });
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'joined' });
  });
});

describe('waitForAgent', () => {
  const waiting = (waitSeconds: number | null = 60) =>
    Room.created('active', { role: 'customer' }, { waitsForAgent: true, waitSeconds });

  it('keeps the call Initialized until an agent joins, whoever else may start calls', () => {
    const room = waiting();
    assert.equal(room.call.status, 'initialized');
    assert.ok(timers(room).includes('start wait-for-agent 60'));
    assert.equal(room.answer(1).call.status, 'initialized');
    assert.equal(room.join(2, { role: 'supervisor' }).call.status, 'initialized');
    room.after(3).join(3, { role: 'agent' });
    assert.equal(room.call.status, 'active');
    assert.equal(room.call.startedAt, start + 3000);
    assert.deepEqual(timers(room), ['cancel wait-for-agent']);
    assert.ok(room.events.includes('started'));
  });

  it('an agent who may not start calls starts none', () => {
    assert.equal(waiting().join(2, { role: 'agent', startsOnEnter: false }).call.status, 'initialized');
  });

  it('Activate starts it all the same', () => {
    const room = waiting().answer(1).feed({ type: 'activate' });
    assert.equal(room.call.status, 'active');
    assert.deepEqual(timers(room), ['cancel wait-for-agent']);
  });

  it('waitTime over without an agent ends the call with 1000', () => {
    const room = waiting().answer(1).after(60).feed(fires('wait-for-agent'));
    assert.equal(room.call.termination, 1000);
    assert.ok(!timers(waiting(null)).some((each) => each.includes('wait-for-agent')), 'no bound, no timer');
  });

  it('a call that an agent creates is active at once', () => {
    const room = Room.created('active', { role: 'agent' }, { waitsForAgent: true, waitSeconds: 60 });
    assert.equal(room.call.status, 'active');
  });
});

describe('relay_dtmf_inputs', () => {
  const relayed = (room: Room) =>
    room.effects.flatMap((each) => (each.do === 'send-digits' ? [`${each.leg} ${each.digits}`] : []));

  it('sends the digits of a member to those who hear it', () => {
    const room = Room.created().answer(1).join(2, { relaysDigits: true }).join(3).press(2, '7');
    assert.deepEqual(relayed(room), ['leg-1 7', 'leg-3 7']);
    assert.deepEqual(relayed(room.press(1, '7')), [], 'only of those who asked for it');
  });

  it('of a coach go to agents alone, of one who is muted or held to nobody', () => {
    const supervisor = { role: 'supervisor', relaysDigits: true } as const;
    const room = Room.created('active', { role: 'agent' })
      .answer(1)
      .join(2, { role: 'customer' })
      .join(3, supervisor);
    assert.deepEqual(relayed(room.press(3, '5')), ['leg-1 5']);
    for (const switches of [{ mute: true }, { mute: false, hold: true }]) {
      room.feed({ type: 'update', members: [3], switches });
      assert.deepEqual(relayed(room.press(3, '5')), []);
    }
  });

  it('nobody hears them before the call has begun', () => {
    const room = Room.created('initialized', { relaysDigits: true })
      .answer(1)
      .join(2, { startsOnEnter: false });
    assert.deepEqual(relayed(room.press(1, '5')), []);
  });
});
