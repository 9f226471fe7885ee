import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Members, MultipartyCallInput } from './multiparty-call.ts';
import type { Callback } from './participant.ts';
import type { WantedPlay } from './room-play.ts';
import { longestEdgeSoundMs } from './room-plays.ts';
import { Room } from './testing/room.ts';

const chime: Callback = { url: 'https://example.com/chime.mp3', method: 'GET' };
const callback: Callback = { url: 'https://example.com/over', method: 'POST' };
const wants = (key: string, changes: Partial<WantedPlay> = {}): WantedPlay => ({
  key,
  of: 'play',
  items: [{ kind: 'file', url: 'https://example.com/news.mp3' }],
  loop: 1,
  alone: false,
  lengthMs: null,
  callback: null,
  ...changes,
});
const play = (members: Members, key = 'p', changes: Partial<WantedPlay> = {}): MultipartyCallInput => ({
  type: 'play',
  wanted: wants(key, changes),
  members,
});
const stop = (members: Members, of: 'play' | 'speak' = 'play'): MultipartyCallInput => ({
  type: 'stop-play',
  of,
  members,
});
const hold = (memberId: number, on: boolean): MultipartyCallInput => ({
  type: 'update',
  members: [memberId],
  switches: { hold: on },
});
const over = (key: string, hasFailed = false): MultipartyCallInput => ({
  type: 'sound-over',
  key,
  hasFailed,
});

/** Orders to the sounds of plays, without music. */
const sounds = (room: Room) =>
  room.effects.flatMap((each) => {
    if (each.do === 'start-sound' && each.key.startsWith('play:')) return [`start ${each.key}`];
    return each.do === 'stop-sound' && each.key.startsWith('play:') ? [`stop ${each.key}`] : [];
  });
const three = () =>
  Room.created('active', {}, { stayAlone: true })
    .answer(1)
    .join(2, { role: 'customer' })
    .join(3, { role: 'supervisor' });

describe('sounds that somebody plays to members', () => {
  it('all: everybody in the conversation at that moment; not those on hold, nor those who join later', () => {
    const room = three().feed(hold(2, true), play('all'));
    assert.deepEqual(sounds(room), ['start play:p:leg-1', 'start play:p:leg-3']);
    assert.deepEqual(sounds(room.join(4)), []);
    assert.deepEqual(sounds(room.feed(hold(2, false))), []);
  });

  it('of all: whoever is put on hold hears it no more, and has not the rest of it afterwards', () => {
    const room = three().feed(play('all'), hold(2, true));
    assert.deepEqual(sounds(room), ['stop play:p:leg-2']);
    assert.deepEqual(sounds(room.feed(hold(2, false))), []);
    assert.deepEqual(sounds(room.feed(stop('all'))), ['stop play:p:leg-1', 'stop play:p:leg-3']);
  });

  it('of members that are named: nobody else hears it, they do on hold and before the start', () => {
    const room = three().feed(hold(2, true), play([2, 3]));
    assert.deepEqual(sounds(room), ['start play:p:leg-2', 'start play:p:leg-3']);
    const waiting = Room.created('initialized')
      .answer(1)
      .feed(play([1]));
    assert.deepEqual(sounds(waiting), ['start play:p:leg-1']);
    assert.deepEqual(sounds(waiting.feed({ type: 'activate' })), []);
  });

  it('is stopped by the same members in any order, and by no others', () => {
    const room = three().feed(play([2, 3]));
    assert.deepEqual(sounds(room.feed(stop('all'))), []);
    assert.deepEqual(sounds(room.feed(stop([2]))), []);
    assert.deepEqual(sounds(room.feed(stop([2, 3], 'speak'))), []);
    assert.deepEqual(sounds(room.feed(stop([3, 2]))), ['stop play:p:leg-2', 'stop play:p:leg-3']);
    assert.equal(room.feed(stop([3, 2])).reply, 'done', 'what is over already is no mistake');
  });

  it('of the same members takes the place of the one before, of others it is heard besides', () => {
    const room = three().feed(play([2], 'one'));
    assert.deepEqual(sounds(room.feed(play([2], 'two'))), ['stop play:one:leg-2', 'start play:two:leg-2']);
    assert.deepEqual(sounds(room.feed(play('all', 'three'))).length, 3);
    assert.deepEqual(sounds(room.feed(play([2], 'four', { of: 'speak' }))), ['start play:four:leg-2']);
  });

  it('members that are not there, have not joined, or nobody at all: refused, and nobody hears it', () => {
    const because = (room: Room) => (typeof room.reply === 'object' ? room.reply.because : room.reply);
    assert.equal(because(three().feed(play([1, 9]))), 'no-such-member');
    assert.equal(
      because(
        three()
          .add(4)
          .feed(play([1, 4])),
      ),
      'not-present',
    );
    assert.equal(because(Room.created().feed(play('all'))), 'nobody-present');
    assert.equal(because(three().feed({ type: 'end' }, play('all'))), 'ended');
    assert.equal(because(three().feed({ type: 'end' }, stop('all'))), 'ended');
    assert.equal(because(three().feed(stop([9]))), 'no-such-member');
    const many = three();
    const forms = [[1], [2], [3], [1, 2], [1, 3], [2, 3], [1, 2, 3]];
    const kinds = ['play', 'speak'] as const;
    for (const [at, form] of forms.entries()) {
      for (const of of kinds) assert.equal(because(many.feed(play(form, `${of}${at}`, { of }))), 'done');
    }
    many.join(4);
    for (const form of [[4], [1, 4], [2, 4]]) {
      for (const of of kinds) assert.equal(because(many.feed(play(form, `${of}${form}`, { of }))), 'done');
    }
    assert.equal(because(many.feed(play([3, 4], 'last'))), 'too-many-plays');
    assert.equal(because(many.feed(play([2], 'instead'))), 'done', 'it takes the place of another');
  });

  it('ends with its listener, and with the call', () => {
    const room = three().feed(play('all'));
    assert.deepEqual(sounds(room.hangUp(2)), ['stop play:p:leg-2']);
    assert.deepEqual(sounds(room.feed({ type: 'end' })), ['stop play:p:leg-1', 'stop play:p:leg-3']);
  });

  it('a text with a callback is told once, when the last has heard it, as completed, failed or stopped', () => {
    const speak = play([1, 2], 's', { of: 'speak', callback });
    const told = (room: Room) =>
      room.effects.flatMap((each) =>
        each.do === 'emit' && each.event.type === 'speak-over'
          ? [`${each.event.outcome} ${each.event.memberIds} ${each.event.request.url}`]
          : [],
      );
    const heard = three().feed(speak, over('play:s:leg-1'));
    assert.deepEqual([told(heard), sounds(heard)], [[], []]);
    assert.deepEqual(told(heard.feed(over('play:s:leg-2'))), [`completed 1,2 ${callback.url}`]);
    assert.deepEqual(told(heard.feed(over('play:s:leg-2'))), []);
    const failed = three().feed(speak, over('play:s:leg-1', true), over('play:s:leg-2'));
    assert.deepEqual(told(failed), [`failed 1,2 ${callback.url}`]);
    for (const end of [stop([1, 2], 'speak'), { type: 'end' } as const]) {
      assert.deepEqual(told(three().feed(speak, end)), [`stopped 1,2 ${callback.url}`]);
    }
  });
});

describe('enter_sound and exit_sound from a URL', () => {
  it('are heard once by those in the conversation, the one who enters included, a minute at most', () => {
    const room = three().feed(hold(2, true)).join(4, { enterSound: chime });
    assert.deepEqual(
      sounds(room),
      [1, 3, 4].map((each) => `start play:enter-4:leg-${each}`),
    );
    const order = room.effects.find((each) => each.do === 'start-sound');
    assert.deepEqual(order?.do === 'start-sound' && [order.items, order.loop, order.lengthMs], [
      [{ kind: 'source', ...chime }],
      1,
      longestEdgeSoundMs,
    ]);
  });

  it('of leaving: by those who stay; with nobody left by nobody', () => {
    const room = three().join(4, { exitSound: chime });
    assert.deepEqual(
      sounds(room.hangUp(4)),
      [1, 2, 3].map((each) => `start play:exit-4:leg-${each}`),
    );
    const alone = Room.created('active', { exitSound: chime }).answer(1).hangUp(1);
    assert.deepEqual(sounds(alone), []);
  });

  it('are heard by nobody before the start', () => {
    assert.deepEqual(sounds(Room.created('initialized', { enterSound: chime }).answer(1)), []);
  });

  it('of a supervisor who coaches are heard by agents and itself, as a beep is: no customer learns of a coach', () => {
    for (const enterSound of [chime, 'beep:1'] as const) {
      const room = Room.created('active', {}, { stayAlone: true })
        .answer(1)
        .join(2, { role: 'customer' })
        .join(3, { role: 'supervisor', enterSound, exitSound: enterSound });
      const to = () =>
        room.effects.flatMap((each) => (each.do === 'start-sound' || each.do === 'play' ? each.to : []));
      assert.deepEqual(to(), ['leg-1', 'leg-3']);
      room.hangUp(3);
      assert.deepEqual(to(), ['leg-1']);
      room.join(4, { role: 'supervisor', coachMode: false, enterSound });
      assert.deepEqual(to(), ['leg-1', 'leg-2', 'leg-4']);
    }
  });
});
