import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MultipartyCallInput } from './multiparty-call.ts';
import type { WantedParticipant } from './participant.ts';
import { Room, wanted } from './testing/room.ts';

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
        return each.items.map((item) => `${item.kind === 'source' ? item.url : item.kind} ${each.to.join()}`);
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

  it('wait_music_url: those present hear it until the call starts, nobody afterwards', () => {
    const room = Room.created('initialized', {}, { music: all });
    assert.deepEqual(music(room), [], 'nobody is there');
    assert.deepEqual(music(room.answer(1)), ['wait leg-1']);
    assert.deepEqual(music(room.add(2, { startsOnEnter: false })), []);
    assert.deepEqual(music(room.answer(2)), ['wait leg-2']);
    assert.deepEqual(music(room.feed({ type: 'activate' })), [
      'stop-sound music:leg-1',
      'stop-sound music:leg-2',
    ]);
    assert.deepEqual(music(room.join(3)), []);
  });

  it('hold music is that of the role: agents and supervisors have one, customers the other', () => {
    const room = Room.created('active', {}, { music: all })
      .answer(1)
      .join(2, { role: 'customer' })
      .join(3, { role: 'supervisor' });
    assert.deepEqual(music(room.feed(hold(1, true))), ['agent leg-1']);
    assert.deepEqual(music(room.feed(hold(2, true))), ['customer leg-2']);
    assert.deepEqual(music(room.feed(hold(3, true))), ['agent leg-3']);
    assert.deepEqual(music(room.feed(hold(2, false))), ['stop-sound music:leg-2']);
  });

  it('who is on hold before the start hears hold music, and goes on hearing it', () => {
    const room = Room.created('initialized', { role: 'customer' }, { music: all }).answer(1);
    assert.deepEqual(music(room.feed(hold(1, true))), ['stop-sound music:leg-1', 'customer leg-1']);
    assert.deepEqual(music(room.feed({ type: 'activate' })), []);
  });

  it('is the built-in one where no URL was given, and changes with what is heard', () => {
    const room = Room.created('initialized', { role: 'customer' }, { music: { ...all, wait: null } }).answer(
      1,
    );
    assert.deepEqual(music(room), ['built-in leg-1']);
    assert.deepEqual(music(room.feed(hold(1, true))), ['stop-play music:leg-1', 'customer leg-1']);
  });

  it('ends with its leg and with the call', () => {
    const room = Room.created('initialized', {}, { music: all }).answer(1).join(2, { startsOnEnter: false });
    assert.deepEqual(music(room.hangUp(2)), ['stop-sound music:leg-2']);
    assert.deepEqual(music(room.feed({ type: 'end' })), ['stop-sound music:leg-1']);
  });

  it('is fixed by the creator of the call', () => {
    const room = Room.created('active', {}, { music: all }).answer(1);
    room.feed({ type: 'add-participant', rivals: [wanted(2, { hold: true, role: 'customer' })] });
    assert.deepEqual(music(room.answer(2)), ['customer leg-2']);
  });
});
