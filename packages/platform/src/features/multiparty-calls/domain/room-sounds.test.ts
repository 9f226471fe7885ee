import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MultipartyCallInput } from './multiparty-call.ts';
import type { RequestedParticipant } from './participant.ts';
import { Room, requested } from './testing/room.ts';

const rings = (memberId: number): MultipartyCallInput => ({ type: 'leg-ringing', leg: `leg-${memberId}` });
const hold = (memberId: number, on: boolean): MultipartyCallInput => ({
  type: 'update',
  members: [memberId],
  switches: { hold: on },
});

const url = 'https://example.com/music.mp3';
const real: Partial<RequestedParticipant> = { dialMusic: 'real' };
const music: Partial<RequestedParticipant> = { dialMusic: { url } };

/** Orders to the sounds while phones are called. */
const heard = (room: Room) =>
  room.effects.flatMap((each) => {
    switch (each.do) {
      case 'play':
        return each.key.startsWith('dial:') ? [`${each.sound.kind} ${each.to.join()}`] : [];
      case 'stop-play':
        return each.key.startsWith('dial:') ? [`stop ${each.key}`] : [];
      case 'start-sound':
        return each.items.map((item) => `${item.kind === 'source' ? item.url : item.kind} ${each.to.join()}`);
      case 'stop-sound':
        return [`stop ${each.key}`];
      default:
        return [];
    }
  });

describe('dial_music', () => {
  it('real: members in silence hear ringback from the first ring until the phone has joined', () => {
    const room = Room.created().answer(1).add(2, real);
    assert.deepEqual(heard(room), [], 'the phone does not ring yet');
    assert.deepEqual(heard(room.send(rings(2))), ['ringback leg-1']);
    assert.deepEqual(heard(room.answer(2)), ['stop dial:leg-1']);
  });

  it('a URL: music from the first moment on', () => {
    const room = Room.created().answer(1).add(2, music);
    assert.deepEqual(heard(room), [`${url} leg-1`]);
    assert.deepEqual(heard(room.send(rings(2))), []);
    assert.deepEqual(heard(room.answer(2)), ['stop dial:leg-1']);
  });

  it('none: silence', () => {
    assert.deepEqual(heard(Room.created().answer(1).add(2).send(rings(2))), []);
  });

  it('ends when the phone does not answer', () => {
    const room = Room.created().answer(1).add(2, real).send(rings(2)).hangUp(2);
    assert.deepEqual(heard(room), ['stop dial:leg-1']);
  });

  it('goes on while the key is awaited', () => {
    const confirmation = { key: '1', sound: null };
    const room = Room.created()
      .answer(1)
      .add(2, { ...real, confirmation })
      .send(rings(2))
      .answer(2);
    assert.deepEqual(heard(room), []);
    assert.deepEqual(heard(room.press(2, '1')), ['stop dial:leg-1']);
  });

  it('a conversation does not hear it: it begins when one member is left, and ends when a second is back', () => {
    const room = Room.created('active', {}, { stayAlone: true })
      .answer(1)
      .join(2)
      .add(3, real)
      .send(rings(3));
    assert.deepEqual(heard(room), []);
    assert.deepEqual(heard(room.hangUp(2)), ['ringback leg-1']);
    assert.deepEqual(heard(room.join(4)), ['stop dial:leg-1']);
  });

  it('a customer heard only by a coach hears it, and the coach does not', () => {
    const room = Room.created('active', { role: 'customer' })
      .answer(1)
      .join(2, { role: 'supervisor' })
      .add(3, real)
      .send(rings(3));
    assert.deepEqual(heard(room), ['ringback leg-1']);
  });

  it('members on hold or before the start hear other music', () => {
    const room = Room.created().answer(1).add(2, real).send(rings(2), hold(1, true));
    assert.deepEqual(heard(room), ['stop dial:leg-1']);
    assert.deepEqual(heard(room.send(hold(1, false))), ['ringback leg-1']);
    assert.deepEqual(heard(Room.created('initialized').answer(1).add(2, real).send(rings(2))), []);
  });

  it('several phones at once: the sound of the first plays', () => {
    const room = Room.created().answer(1).add(2, real).send(rings(2)).add(3, music);
    assert.deepEqual(heard(room), []);
    assert.deepEqual(heard(room.hangUp(2)), ['stop dial:leg-1', `${url} leg-1`]);
  });

  it('a list of phones has one sound', () => {
    const room = Room.created().answer(1).race([2, 3, 4], real).send(rings(2));
    assert.deepEqual(heard(room), ['ringback leg-1']);
    assert.deepEqual(heard(room.send(rings(3))), []);
    assert.deepEqual(heard(room.answer(4)), ['stop dial:leg-1']);
  });

  it('music from a URL is stopped with the call; ringback ends with its mix', () => {
    assert.deepEqual(heard(Room.created().answer(1).add(2, music).send({ type: 'end' })), [
      'stop dial:leg-1',
    ]);
    assert.deepEqual(heard(Room.created().answer(1).add(2, real).send(rings(2), { type: 'end' })), []);
  });
});

describe('music', () => {
  const at = (name: string) => ({ url: `https://example.com/${name}`, method: 'GET' }) as const;
  const all = { wait: at('wait'), agentHold: at('agent'), customerHold: at('customer') };
  const music = (room: Room) =>
    room.effects.flatMap((each) => {
      if (each.do === 'start-sound' || each.do === 'play') {
        const [item] = each.do === 'start-sound' ? each.items : [];
        const what = item?.kind === 'source' ? item.url.replace('https://example.com/', '') : 'built-in';
        return each.key.startsWith('music:') ? [`${what} ${each.to.join()}`] : [];
      }
      const isStop = each.do === 'stop-sound' || each.do === 'stop-play';
      return isStop && each.key.startsWith('music:') ? [`${each.do} ${each.key}`] : [];
    });

  it('wait_music_url: present participants hear it until the call starts', () => {
    const room = Room.created('initialized', {}, { music: all });
    assert.deepEqual(music(room), [], 'no participant is present');
    assert.deepEqual(music(room.answer(1)), ['wait leg-1']);
    assert.deepEqual(music(room.add(2, { startsOnEnter: false })), []);
    assert.deepEqual(music(room.answer(2)), ['wait leg-2']);
    assert.deepEqual(music(room.send({ type: 'activate' })), [
      'stop-sound music:leg-1',
      'stop-sound music:leg-2',
    ]);
    assert.deepEqual(music(room.join(3)), []);
  });

  it('hold music follows the role: agents and supervisors share one source, customers have another', () => {
    const room = Room.created('active', {}, { music: all })
      .answer(1)
      .join(2, { role: 'customer' })
      .join(3, { role: 'supervisor' });
    assert.deepEqual(music(room.send(hold(1, true))), ['agent leg-1']);
    assert.deepEqual(music(room.send(hold(2, true))), ['customer leg-2']);
    assert.deepEqual(music(room.send(hold(3, true))), ['agent leg-3']);
    assert.deepEqual(music(room.send(hold(2, false))), ['stop-sound music:leg-2']);
  });

  it('a participant on hold before the start hears hold music, before and after the start', () => {
    const room = Room.created('initialized', { role: 'customer' }, { music: all }).answer(1);
    assert.deepEqual(music(room.send(hold(1, true))), ['stop-sound music:leg-1', 'customer leg-1']);
    assert.deepEqual(music(room.send({ type: 'activate' })), []);
  });

  it('music without a URL is built in, and changes with the state', () => {
    const room = Room.created('initialized', { role: 'customer' }, { music: { ...all, wait: null } }).answer(
      1,
    );
    assert.deepEqual(music(room), ['built-in leg-1']);
    assert.deepEqual(music(room.send(hold(1, true))), ['stop-play music:leg-1', 'customer leg-1']);
  });

  it('music ends with its leg and with the call', () => {
    const room = Room.created('initialized', {}, { music: all }).answer(1).join(2, { startsOnEnter: false });
    assert.deepEqual(music(room.hangUp(2)), ['stop-sound music:leg-2']);
    assert.deepEqual(music(room.send({ type: 'end' })), ['stop-sound music:leg-1']);
  });

  it('the creator of the call fixes the music', () => {
    const room = Room.created('active', {}, { music: all }).answer(1);
    room.send({ type: 'add-participant', rivals: [requested(2, { hold: true, role: 'customer' })] });
    assert.deepEqual(music(room.answer(2)), ['customer leg-2']);
  });
});
