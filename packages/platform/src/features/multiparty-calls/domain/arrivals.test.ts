import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { confirmationSeconds } from './call-timers.ts';
import type { MultipartyCallInput } from './multiparty-call.ts';
import type { RequestedParticipant } from './participant.ts';
import { Room, requested, start } from './testing/room.ts';

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

describe('several phones for one slot', () => {
  const race = () => Room.created().answer(1).race([2, 3, 4]);

  it('are all dialled at once, and use one slot of max_participants together', () => {
    const room = Room.created('active', {}, { maxParticipants: 3 }).answer(1).race([2, 3, 4]);
    assert.deepEqual(room.orders, ['dial', 'dial', 'dial']);
    assert.deepEqual(room.events, ['add-participant-initiated']);
    assert.equal(room.add(5).reply, 'done');
    assert.deepEqual(room.add(6).reply, { because: 'full', maxParticipants: 3 });
  });

  it('the first to answer joins, and the others are hung up with lost-race', () => {
    const room = race().send(rings(2)).answer(3);
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'exited', 3: 'joined', 4: 'exited' });
    assert.deepEqual(room.hangUps, ['leg-2 lost-race', 'leg-4 lost-race']);
    assert.deepEqual(room.table, { 'leg-1': ['leg-3'], 'leg-3': ['leg-1'] });
  });

  it('their adding is completed once, by the winner', () => {
    assert.deepEqual(race().answer(3).events, ['participant-joined', 'add-participant-completed']);
  });

  it('when all fail, the last completes their adding', () => {
    const room = race();
    assert.deepEqual(room.hangUp(2).events, []);
    assert.deepEqual(room.hangUp(4).events, []);
    assert.deepEqual(room.hangUp(3).events, ['add-participant-completed']);
  });

  it('when all are kicked together, their adding is completed once', () => {
    const room = race().send({ type: 'kick', members: [2, 3, 4] });
    assert.deepEqual(room.events, ['add-participant-completed']);
    assert.deepEqual(room.hangUps, ['leg-2 kicked', 'leg-3 kicked', 'leg-4 kicked']);
  });

  it('a second answer that crosses with the hang-up joins no participant', () => {
    const room = race().answer(2).answer(3);
    assert.deepEqual(room.effects, []);
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'joined', 3: 'exited', 4: 'exited' });
  });

  it('a ringing phone that is kicked leaves the race, and the others go on', () => {
    const room = race().send({ type: 'kick', members: [2] });
    assert.deepEqual(room.events, []);
    assert.deepEqual(room.answer(3).phases, { 1: 'joined', 3: 'joined', 4: 'exited' });
  });

  it('a phone that is not dialled yet is not hung up, and its timer is cancelled', () => {
    const rivals = [
      requested(2, { requestUuid: 'request-2' }),
      requested(3, { requestUuid: 'request-2', delaySeconds: 10 }),
    ] as const;
    const room = Room.created().answer(1).send({ type: 'add-participant', rivals });
    assert.deepEqual(room.answer(2).hangUps, []);
    assert.deepEqual(timers(room), ['cancel delay:leg-3']);
  });

  it('a cancelled request hangs up its phones that were not answered, and cancels those not dialled yet', () => {
    const requestUuid = 'request-2';
    const rivals = [
      requested(2, { requestUuid, confirmation: { key: '1', sound: null } }),
      requested(3, { requestUuid }),
      requested(4, { requestUuid, delaySeconds: 10 }),
    ] as const;
    const room = Room.created()
      .answer(1)
      .send({ type: 'add-participant', rivals })
      .add(5, { delaySeconds: 10 })
      .answer(2)
      .send({ type: 'cancel-request', requestUuid });
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'confirming', 3: 'exited', 4: 'exited', 5: 'delayed' });
    assert.deepEqual(room.hangUps, ['leg-3 request-cancelled']);
    assert.deepEqual(room.events, [], 'a phone of the request may still join');
    assert.deepEqual(timers(room), ['cancel delay:leg-4']);
    assert.equal(room.reply, 'done');

    room.send({ type: 'cancel-request', requestUuid });
    assert.deepEqual(room.reply, { because: 'none-waits', requestUuid });
    room.send({ type: 'cancel-request', requestUuid: 'request-5' });
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'confirming', 5: 'exited' });
    assert.deepEqual(room.events, ['add-participant-completed']);
  });

  it('a cancelled request leaves a leg alone that is handed over', () => {
    const room = Room.created().answer(1).add(2, { origin: 'taken' });
    room.send({ type: 'cancel-request', requestUuid: 'request-2' });
    assert.equal(room.phases[2], 'dialling');
  });

  it('all are refused if one of them is in a call already', () => {
    const room = Room.created();
    const before = room.call;
    room.send({ type: 'add-participant', rivals: [requested(5), requested(6, { leg: 'leg-1' })] });
    assert.deepEqual(room.reply, { because: 'already-in', memberId: 1 });
    assert.equal(room.call, before);
  });
});

describe('delay_dial', () => {
  const delayed = () => Room.created().answer(1).after(5).add(2, { delaySeconds: 30 });

  it('dials after the delay', () => {
    const room = delayed();
    assert.deepEqual(room.orders, ['start-timer']);
    assert.deepEqual(timers(room), ['start delay:leg-2 35']);
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'delayed' });
    room.after(30).send(fires('delay:leg-2'));
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'dialling' });
    assert.ok(room.orders.includes('dial'));
  });

  it('a delayed participant keeps a call alive without others', () => {
    const room = Room.created('active', { delaySeconds: 30 });
    assert.equal(room.call.status, 'active');
    assert.deepEqual(room.send(fires('delay:leg-1')).phases, { 1: 'dialling' });
  });

  it('a kick and the end of the call cancel the delay, without a leg to hang up', () => {
    for (const input of [{ type: 'kick', members: [2] }, { type: 'end' }] as const) {
      const room = delayed().send(input);
      assert.ok(timers(room).includes('cancel delay:leg-2'), JSON.stringify(timers(room)));
      assert.ok(!room.hangUps.some((each) => each.startsWith('leg-2')));
      assert.ok(room.events.includes('add-participant-completed'));
    }
  });

  it('a timer of a participant that left dials no phone', () => {
    const room = delayed().send({ type: 'kick', members: [2] }, fires('delay:leg-2'));
    assert.deepEqual(room.effects, []);
  });
});

describe('confirm_key', () => {
  const confirmation = {
    key: '1',
    sound: { url: 'https://example.com/press-one.mp3', method: 'GET' },
  } as const;
  const asked = (more: Partial<RequestedParticipant> = {}) =>
    Room.created()
      .answer(1)
      .add(2, { confirmation, enterSound: 'beep:1', ...more })
      .after(4)
      .answer(2);

  it('only the phone hears the question: it is in no mix and has no edges', () => {
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

  it('the right key joins as an answer does without confirm_key', () => {
    const room = asked().press(2, '1');
    assert.deepEqual(room.orders, ['set-hearing', 'stop-sound', 'play', 'cancel-timer']);
    assert.deepEqual(room.table, { 'leg-1': ['leg-2'], 'leg-2': ['leg-1'] });
    assert.deepEqual(room.events, ['participant-joined', 'add-participant-completed']);
  });

  it('a wrong key, or no key in time, hangs up with not-confirmed, and changes nothing for members', () => {
    for (const input of [{ type: 'leg-digit', leg: 'leg-2', digit: '2' }, fires('confirm:leg-2')] as const) {
      const room = asked().send(input);
      assert.deepEqual(room.hangUps, ['leg-2 not-confirmed']);
      assert.ok(room.orders.includes('stop-sound'));
      assert.ok(!room.orders.includes('play'));
      assert.deepEqual(room.events, ['add-participant-completed']);
      assert.deepEqual(room.phases, { 1: 'joined', 2: 'exited' });
    }
  });

  it('without a sound only the timer runs', () => {
    const room = asked({ confirmation: { key: '1', sound: null } });
    assert.deepEqual(room.orders, ['start-timer']);
    assert.deepEqual(room.press(2, '1').orders, ['set-hearing', 'play', 'cancel-timer']);
  });

  it('keys before the answer and keys of other members confirm nothing', () => {
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

  it('a moved live call needs the key too', () => {
    const room = Room.created().answer(1).add(2, { origin: 'taken', confirmation });
    room.send({ type: 'leg-here', leg: 'leg-2', isAnswered: true });
    assert.equal(room.reply, 'done');
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'confirming' });
  });

  it('the end of the call stops the question', () => {
    const room = asked().send({ type: 'end' });
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
  it('a participant does not join an empty call', () => {
    const room = Room.created().answer(1).add(2, { joinsOthersOnly: true }).hangUp(1);
    assert.equal(room.call.status, 'active', 'the participant is expected');
    room.answer(2);
    assert.deepEqual(room.hangUps, ['leg-2 alone']);
    assert.equal(room.call.termination, 1000);
  });

  it('a live call that was moved into an empty call is hung up', () => {
    const room = Room.created().answer(1).add(2, { origin: 'taken', joinsOthersOnly: true }).hangUp(1);
    room.send({ type: 'leg-here', leg: 'leg-2', isAnswered: true });
    assert.deepEqual(room.hangUps, ['leg-2 alone']);
    assert.equal(room.reply, 'done');
  });

  it('a participant joins a call with members', () => {
    const room = Room.created().answer(1).join(2, { joinsOthersOnly: true });
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'joined' });
  });
});

describe('waitForAgent', () => {
  const waiting = (waitSeconds: number | null = 60) =>
    Room.created('active', { role: 'customer' }, { waitsForAgent: true, waitSeconds });

  it('the call stays Initialized until an agent joins, whatever start_mpc_on_enter of others', () => {
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

  it('Activate starts the call without an agent', () => {
    const room = waiting().answer(1).send({ type: 'activate' });
    assert.equal(room.call.status, 'active');
    assert.deepEqual(timers(room), ['cancel wait-for-agent']);
  });

  it('a waitTime without an agent ends the call with 1000', () => {
    const room = waiting().answer(1).after(60).send(fires('wait-for-agent'));
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

  it('digits of a member go to its listeners', () => {
    const room = Room.created().answer(1).join(2, { relaysDigits: true }).join(3).press(2, '7');
    assert.deepEqual(relayed(room), ['leg-1 7', 'leg-3 7']);
    assert.deepEqual(relayed(room.press(1, '7')), [], 'only members with relay_dtmf_inputs');
  });

  it('digits of a coach go to agents only, those of a muted or held member to none', () => {
    const supervisor = { role: 'supervisor', relaysDigits: true } as const;
    const room = Room.created('active', { role: 'agent' })
      .answer(1)
      .join(2, { role: 'customer' })
      .join(3, supervisor);
    assert.deepEqual(relayed(room.press(3, '5')), ['leg-1 5']);
    for (const switches of [{ mute: true }, { mute: false, hold: true }]) {
      room.send({ type: 'update', members: [3], switches });
      assert.deepEqual(relayed(room.press(3, '5')), []);
    }
  });

  it('digits reach no member before the call is active', () => {
    const room = Room.created('initialized', { relaysDigits: true })
      .answer(1)
      .join(2, { startsOnEnter: false });
    assert.deepEqual(relayed(room.press(1, '5')), []);
  });
});
