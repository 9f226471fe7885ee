import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MultipartyCallInput } from './multiparty-call.ts';
import type { RequestedParticipant } from './participant.ts';
import { Room, settings, start } from './testing/room.ts';

const borrowed: Partial<RequestedParticipant> = { origin: 'borrowed' };
const taken: Partial<RequestedParticipant> = { origin: 'taken' };

const here = (memberId: number, isAnswered = true): MultipartyCallInput => ({
  type: 'leg-here',
  leg: `leg-${memberId}`,
  isAnswered,
});
const leaves = (memberId: number): MultipartyCallInput => ({ type: 'leg-taken', leg: `leg-${memberId}` });
const kick = (...members: number[]): MultipartyCallInput => ({ type: 'kick', members });

const givenBack = (room: Room) =>
  room.effects.flatMap((each) => (each.do === 'give-back' ? [each.participant] : []));
const exitOf = (room: Room, memberId: number) =>
  room.call.participants.find((each) => each.memberId === memberId)?.exitCause;

describe('a leg that existed before', () => {
  it('is not dialled', () => {
    assert.deepEqual(Room.created('active', borrowed).orders, ['open-mix', 'start-timer']);
    assert.deepEqual(Room.created().add(2, taken).orders, []);
  });

  it('joins at the handover, with the same table and sounds as others', () => {
    for (const origin of [borrowed, taken]) {
      const room = Room.created()
        .answer(1)
        .add(2, { ...origin, enterSound: 'beep:1' });
      assert.deepEqual(room.send(here(2)).orders, ['set-hearing', 'play']);
      assert.deepEqual(room.table, { 'leg-1': ['leg-2'], 'leg-2': ['leg-1'] });
      assert.equal(room.reply, 'done');
    }
  });

  it('an unanswered leg joins when it answers', () => {
    const room = Room.created().answer(1).add(2, taken).send(here(2, false));
    assert.deepEqual(room.phases, { 1: 'joined', 2: 'ringing' });
    assert.equal(room.reply, 'done');
    assert.deepEqual(room.answer(2).phases, { 1: 'joined', 2: 'joined' });
  });

  it('is in a call once: a second adding is refused', () => {
    const room = Room.created().add(2, taken).send(here(2));
    const before = room.call;
    room.add(3, { ...taken, leg: 'leg-2' });
    assert.deepEqual(room.reply, { because: 'already-in', memberId: 2 });
    assert.equal(room.call, before);
  });

  it('a leg whose participant has left is not kept', () => {
    const room = Room.created().answer(1).add(2, borrowed).send(kick(2));
    assert.deepEqual(room.hangUps, [], 'the call does not own it yet');
    assert.deepEqual(givenBack(room), []);
    assert.deepEqual(room.send(here(2)).reply, { because: 'gone' });
    assert.deepEqual(room.send({ type: 'end' }, here(2)).reply, { because: 'ended' });
  });

  it('a leg that ends before the handover ends the call that was created for it', () => {
    const room = Room.created('active', taken).hangUp(1);
    assert.equal(room.call.termination, 1000);
    assert.deepEqual(room.hangUps, []);
  });

  it('a leg that another owner claims has left with Participant Call Transferred, and is not hung up', () => {
    for (const origin of [borrowed, taken, {}]) {
      const room = Room.created().answer(1).join(2).add(3, origin).send(here(3)).answer(3).send(leaves(3));
      assert.equal(exitOf(room, 3), 'Participant Call Transferred');
      assert.deepEqual(room.orders, ['set-hearing']);
      assert.deepEqual(room.table, { 'leg-1': ['leg-2'], 'leg-2': ['leg-1'] });
    }
  });
});

describe('a borrowed leg', () => {
  const joined = () => Room.created().answer(1).join(2).add(3, borrowed).send(here(3));

  it('emits no event of adding, and joins and leaves like others', () => {
    const room = Room.created().answer(1).join(2).add(3, borrowed);
    assert.deepEqual(room.events, []);
    assert.deepEqual(room.send(here(3)).events, ['participant-joined']);
    assert.deepEqual(room.hangUp(3).events, ['participant-exited']);
  });

  it('is returned after a kick, out of the mix before', () => {
    const room = joined().after(5).send(kick(3));
    assert.deepEqual(room.orders, ['set-hearing', 'give-back']);
    const [gone] = givenBack(room);
    assert.equal(gone?.exitCause, 'Kicked Out of Multiparty Call');
    assert.deepEqual([gone?.joinedAt, gone?.exitedAt], [start, start + 5000]);
  });

  it('is returned at every end of the call; others are hung up', () => {
    const ends: readonly MultipartyCallInput[] = [
      { type: 'end' },
      { type: 'timer-fired', key: 'max-duration' },
      { type: 'kick', members: [1, 2] },
    ];
    for (const input of ends) {
      const room = joined().send(input);
      assert.equal(room.call.status, 'ended');
      assert.deepEqual(
        givenBack(room).map(({ leg, exitCause }) => `${leg} ${exitCause}`),
        ['leg-3 Multiparty Call Ended'],
      );
      assert.equal(room.hangUps.length, 2);
      assert.ok(!room.hangUps.some((each) => each.startsWith('leg-3')));
    }
  });

  it('is not returned when its phone has hung up', () => {
    const room = joined().hangUp(3);
    assert.deepEqual(givenBack(room), []);
    assert.equal(exitOf(room, 3), 'Participant Call Hangup');
  });
});

describe('a taken leg', () => {
  it('is hung up by a kick and at the end, like a dialled leg', () => {
    const room = Room.created().answer(1).join(2).add(3, taken).send(here(3)).send(kick(3));
    assert.deepEqual(room.hangUps, ['leg-3 kicked']);
    const other = Room.created('active', taken).send(here(1)).send({ type: 'end' });
    assert.deepEqual(other.hangUps, ['leg-1 end-requested']);
  });

  it('emits events of adding', () => {
    const room = Room.created().add(2, taken);
    assert.deepEqual(room.events, ['add-participant-initiated']);
    assert.deepEqual(room.send(here(2)).events, ['participant-joined', 'add-participant-completed']);
  });
});

describe('digits and voice', () => {
  const reporting = (events: string) =>
    Room.created(
      'active',
      {},
      { ...settings, statusCallback: { url: 'http://a/', method: 'POST', events } },
    ).answer(1);
  const digit: MultipartyCallInput = { type: 'leg-digit', leg: 'leg-1', digit: '5' };
  const voice = (speaking: boolean): MultipartyCallInput => ({ type: 'leg-voice', leg: 'leg-1', speaking });

  it('digits are events only where a status callback requests them', () => {
    assert.deepEqual(reporting('participant-digit-input-events').send(digit).events, ['participant-digit']);
    assert.deepEqual(reporting('mpc-state-changes').send(digit).effects, []);
    assert.deepEqual(Room.created().answer(1).send(digit).effects, []);
  });

  it('voice is watched from the join on, only where a status callback requests it', () => {
    assert.ok(reporting('participant-speak-events').orders.includes('watch-voice'));
    assert.ok(!reporting('mpc-state-changes').orders.includes('watch-voice'));
  });

  it('each change of voice is reported once; the first state is no change', () => {
    const room = reporting('mpc-state-changes,participant-speak-events');
    assert.deepEqual(room.send(voice(false)).events, []);
    assert.deepEqual(room.send(voice(true)).events, ['participant-speaking']);
    assert.deepEqual(room.send(voice(true)).events, []);
    assert.deepEqual(room.send(voice(false)).events, ['participant-silent']);
  });

  it('a borrowed leg is not watched after its return to the document', () => {
    const room = reporting('participant-speak-events').add(2, borrowed).send(here(2)).send(kick(2));
    // The call ends with it: one participant is left.
    assert.deepEqual(
      room.effects.filter((each) => each.do === 'watch-voice'),
      [{ do: 'watch-voice', leg: 'leg-2', watched: false }],
    );
  });

  it('voice and digits of a participant that left are not reported', () => {
    const room = reporting('participant-speak-events,participant-digit-input-events')
      .join(2)
      .join(3)
      .send(kick(1));
    assert.deepEqual(room.send(digit).effects, []);
    assert.deepEqual(room.send(voice(true)).effects, []);
  });
});
