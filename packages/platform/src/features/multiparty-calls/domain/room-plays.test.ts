import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Members, MultipartyCallInput } from './multiparty-call.ts';
import type { Callback } from './participant.ts';
import type { RequestedPlay } from './room-play.ts';
import { longestEdgeSoundMs } from './room-plays.ts';
import { Room } from './testing/room.ts';

const chime: Callback = { url: 'https://example.com/chime.mp3', method: 'GET' };
const callback: Callback = { url: 'https://example.com/over', method: 'POST' };
const wants = (key: string, changes: Partial<RequestedPlay> = {}): RequestedPlay => ({
  key,
  of: 'play',
  items: [{ kind: 'file', url: 'https://example.com/news.mp3' }],
  loop: 1,
  alone: false,
  lengthMs: null,
  callback: null,
  ...changes,
});
const play = (members: Members, key = 'p', changes: Partial<RequestedPlay> = {}): MultipartyCallInput => ({
  type: 'play',
  requested: wants(key, changes),
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

describe('sounds that the API plays to members', () => {
  it('a play to all reaches the conversation at that moment, not members on hold or joining later', () => {
    const room = three().send(hold(2, true), play('all'));
    assert.deepEqual(sounds(room), ['start play:p:leg-1', 'start play:p:leg-3']);
    assert.deepEqual(sounds(room.join(4)), []);
    assert.deepEqual(sounds(room.send(hold(2, false))), []);
  });

  it('a play to all ends for a member put on hold, who does not hear the rest later', () => {
    const room = three().send(play('all'), hold(2, true));
    assert.deepEqual(sounds(room), ['stop play:p:leg-2']);
    assert.deepEqual(sounds(room.send(hold(2, false))), []);
    assert.deepEqual(sounds(room.send(stop('all'))), ['stop play:p:leg-1', 'stop play:p:leg-3']);
  });

  it('a play to named members reaches only them, also on hold and before the start', () => {
    const room = three().send(hold(2, true), play([2, 3]));
    assert.deepEqual(sounds(room), ['start play:p:leg-2', 'start play:p:leg-3']);
    const waiting = Room.created('initialized')
      .answer(1)
      .send(play([1]));
    assert.deepEqual(sounds(waiting), ['start play:p:leg-1']);
    assert.deepEqual(sounds(waiting.send({ type: 'activate' })), []);
  });

  it('a play is stopped with the same members in any order, and with no others', () => {
    const room = three().send(play([2, 3]));
    assert.deepEqual(sounds(room.send(stop('all'))), []);
    assert.deepEqual(sounds(room.send(stop([2]))), []);
    assert.deepEqual(sounds(room.send(stop([2, 3], 'speak'))), []);
    assert.deepEqual(sounds(room.send(stop([3, 2]))), ['stop play:p:leg-2', 'stop play:p:leg-3']);
    assert.equal(room.send(stop([3, 2])).reply, 'done', 'stopping an ended play succeeds');
  });

  it('a play to several members is stopped and replaced in the same form after one of them has left', () => {
    const playing = () =>
      three()
        .send(play([2, 3], 'one', { loop: 0 }))
        .hangUp(3);
    const stopped = playing().send(stop([3, 2]));
    assert.deepEqual([stopped.reply, sounds(stopped)], ['done', ['stop play:one:leg-2']]);
    const unknown = { because: 'no-such-member', memberId: 3 };
    assert.deepEqual(stopped.send(stop([2, 3])).reply, unknown, 'no play of this form runs');
    assert.deepEqual(stopped.send(play([2, 3])).reply, unknown);

    const replaced = playing().send(play([2, 3], 'two'));
    assert.deepEqual(sounds(replaced), ['stop play:one:leg-2', 'start play:two:leg-2']);
    assert.deepEqual(replaced.call.plays[0]?.memberIds, [2]);
    assert.deepEqual(playing().send(play([2, 3], 's', { of: 'speak' })).reply, unknown);
    assert.deepEqual(playing().send(stop([2, 3], 'speak')).reply, unknown);
  });

  it('a play to the same members replaces the play before; plays to other members run beside it', () => {
    const room = three().send(play([2], 'one'));
    assert.deepEqual(sounds(room.send(play([2], 'two'))), ['stop play:one:leg-2', 'start play:two:leg-2']);
    assert.deepEqual(sounds(room.send(play('all', 'three'))).length, 3);
    assert.deepEqual(sounds(room.send(play([2], 'four', { of: 'speak' }))), ['start play:four:leg-2']);
  });

  it('a play to unknown members, members not joined, or an empty call is refused', () => {
    const because = (room: Room) => (typeof room.reply === 'object' ? room.reply.because : room.reply);
    assert.equal(because(three().send(play([1, 9]))), 'no-such-member');
    assert.equal(
      because(
        three()
          .add(4)
          .send(play([1, 4])),
      ),
      'not-present',
    );
    assert.equal(because(Room.created().send(play('all'))), 'none-present');
    assert.equal(because(three().send({ type: 'end' }, play('all'))), 'ended');
    assert.equal(because(three().send({ type: 'end' }, stop('all'))), 'ended');
    assert.equal(because(three().send(stop([9]))), 'no-such-member');
    const many = three();
    const forms = [[1], [2], [3], [1, 2], [1, 3], [2, 3], [1, 2, 3]];
    const kinds = ['play', 'speak'] as const;
    for (const [at, form] of forms.entries()) {
      for (const of of kinds) assert.equal(because(many.send(play(form, `${of}${at}`, { of }))), 'done');
    }
    many.join(4);
    for (const form of [[4], [1, 4], [2, 4]]) {
      for (const of of kinds) assert.equal(because(many.send(play(form, `${of}${form}`, { of }))), 'done');
    }
    assert.equal(because(many.send(play([3, 4], 'last'))), 'too-many-plays');
    assert.equal(because(many.send(play([2], 'instead'))), 'done', 'it replaces another play');
  });

  it('a play ends with its listener, and with the call', () => {
    const room = three().send(play('all'));
    assert.deepEqual(sounds(room.hangUp(2)), ['stop play:p:leg-2']);
    assert.deepEqual(sounds(room.send({ type: 'end' })), ['stop play:p:leg-1', 'stop play:p:leg-3']);
  });

  it('the callback of a text gets one request after the last listener: completed, failed or stopped', () => {
    const speak = play([1, 2], 's', { of: 'speak', callback });
    const reported = (room: Room) =>
      room.effects.flatMap((each) =>
        each.do === 'emit' && each.event.type === 'speak-over'
          ? [`${each.event.outcome} ${each.event.memberIds} ${each.event.request.url}`]
          : [],
      );
    const heard = three().send(speak, over('play:s:leg-1'));
    assert.deepEqual([reported(heard), sounds(heard)], [[], []]);
    assert.deepEqual(reported(heard.send(over('play:s:leg-2'))), [`completed 1,2 ${callback.url}`]);
    assert.deepEqual(reported(heard.send(over('play:s:leg-2'))), []);
    const failed = three().send(speak, over('play:s:leg-1', true), over('play:s:leg-2'));
    assert.deepEqual(reported(failed), [`failed 1,2 ${callback.url}`]);
    for (const end of [stop([1, 2], 'speak'), { type: 'end' } as const]) {
      assert.deepEqual(reported(three().send(speak, end)), [`stopped 1,2 ${callback.url}`]);
    }
  });
});

describe('enter_sound and exit_sound from a URL', () => {
  it('play once to the conversation and the new participant, a minute at most', () => {
    const room = three().send(hold(2, true)).join(4, { enterSound: chime });
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

  it('exit sounds play to the remaining members, and not in an empty call', () => {
    const room = three().join(4, { exitSound: chime });
    assert.deepEqual(
      sounds(room.hangUp(4)),
      [1, 2, 3].map((each) => `start play:exit-4:leg-${each}`),
    );
    const alone = Room.created('active', { exitSound: chime }).answer(1).hangUp(1);
    assert.deepEqual(sounds(alone), []);
  });

  it('are silent before the start', () => {
    assert.deepEqual(sounds(Room.created('initialized', { enterSound: chime }).answer(1)), []);
  });

  it('sounds and beeps of a coach reach agents and the coach: no customer learns of a coach', () => {
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
