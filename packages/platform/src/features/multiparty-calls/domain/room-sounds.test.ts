import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MultipartyCallInput } from './multiparty-call.ts';
import type { WantedParticipant } from './participant.ts';
import { Room } from './testing/room.ts';

const rings = (memberId: number): MultipartyCallInput => ({ type: 'leg-ringing', leg: `leg-${memberId}` });
const hold = (memberId: number, on: boolean): MultipartyCallInput => ({
  type: 'update',
  members: [memberId],
  switches: { hold: on },
});

const url = 'https://example.com/music.mp3';
const real: Partial<WantedParticipant> = { dialMusic: 'real' };
const music: Partial<WantedParticipant> = { dialMusic: { url } };

/** Orders about what is heard while phones are called. */
const heard = (room: Room) =>
  room.effects.flatMap((each) => {
    switch (each.do) {
      case 'play':
        return each.key.startsWith('dial:') ? [`${each.sound.kind} ${each.to.join()}`] : [];
      case 'stop-play':
        return each.key.startsWith('dial:') ? [`stop ${each.key}`] : [];
      case 'start-sound':
        return [`${each.source.url} ${each.to.join()}`];
      case 'stop-sound':
        return [`stop ${each.key}`];
      default:
        return [];
    }
  });

describe('dial_music', () => {
  it('real: who hears nobody hears ringback from the first ring until the phone has joined', () => {
    const room = Room.created().answer(1).add(2, real);
    assert.deepEqual(heard(room), [], 'it does not ring yet');
    assert.deepEqual(heard(room.feed(rings(2))), ['ringback leg-1']);
    assert.deepEqual(heard(room.answer(2)), ['stop dial:leg-1']);
  });

  it('a URL: music from the first moment on', () => {
    const room = Room.created().answer(1).add(2, music);
    assert.deepEqual(heard(room), [`${url} leg-1`]);
    assert.deepEqual(heard(room.feed(rings(2))), []);
    assert.deepEqual(heard(room.answer(2)), ['stop dial:leg-1']);
  });

  it('none: silence', () => {
    assert.deepEqual(heard(Room.created().answer(1).add(2).feed(rings(2))), []);
  });

  it('ends when the phone does not answer', () => {
    const room = Room.created().answer(1).add(2, real).feed(rings(2)).hangUp(2);
    assert.deepEqual(heard(room), ['stop dial:leg-1']);
  });

  it('goes on while the key is asked for', () => {
    const confirmation = { key: '1', sound: null };
    const room = Room.created()
      .answer(1)
      .add(2, { ...real, confirmation })
      .feed(rings(2))
      .answer(2);
    assert.deepEqual(heard(room), []);
    assert.deepEqual(heard(room.press(2, '1')), ['stop dial:leg-1']);
  });

  it('is not heard by those who talk: it begins when one is left, and ends when a second is back', () => {
    const room = Room.created('active', {}, { stayAlone: true })
      .answer(1)
      .join(2)
      .add(3, real)
      .feed(rings(3));
    assert.deepEqual(heard(room), []);
    assert.deepEqual(heard(room.hangUp(2)), ['ringback leg-1']);
    assert.deepEqual(heard(room.join(4)), ['stop dial:leg-1']);
  });

  it('is heard by a customer whom only a coach hears, and not by the coach', () => {
    const room = Room.created('active', { role: 'customer' })
      .answer(1)
      .join(2, { role: 'supervisor' })
      .add(3, real)
      .feed(rings(3));
    assert.deepEqual(heard(room), ['ringback leg-1']);
  });

  it('is not heard on hold, and not before the call has begun: there is other music', () => {
    const room = Room.created().answer(1).add(2, real).feed(rings(2), hold(1, true));
    assert.deepEqual(heard(room), ['stop dial:leg-1']);
    assert.deepEqual(heard(room.feed(hold(1, false))), ['ringback leg-1']);
    assert.deepEqual(heard(Room.created('initialized').answer(1).add(2, real).feed(rings(2))), []);
  });

  it('of several phones at once is that of the first', () => {
    const room = Room.created().answer(1).add(2, real).feed(rings(2)).add(3, music);
    assert.deepEqual(heard(room), []);
    assert.deepEqual(heard(room.hangUp(2)), ['stop dial:leg-1', `${url} leg-1`]);
  });

  it('of a list is heard once', () => {
    const room = Room.created().answer(1).race([2, 3, 4], real).feed(rings(2));
    assert.deepEqual(heard(room), ['ringback leg-1']);
    assert.deepEqual(heard(room.feed(rings(3))), []);
    assert.deepEqual(heard(room.answer(4)), ['stop dial:leg-1']);
  });

  it('from a URL is stopped with the call; ringback ends with its mix', () => {
    assert.deepEqual(heard(Room.created().answer(1).add(2, music).feed({ type: 'end' })), [
      'stop dial:leg-1',
    ]);
    assert.deepEqual(heard(Room.created().answer(1).add(2, real).feed(rings(2), { type: 'end' })), []);
  });
});
