import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MultipartyCallInput } from './multiparty-call.ts';
import type { RequestedParticipant } from './participant.ts';
import { Room } from './testing/room.ts';

const onExitAction = { url: 'https://example.com/exit', method: 'POST' } as const;
const kick = (...members: number[]): MultipartyCallInput => ({ type: 'kick', members });

const documents = (room: Room) =>
  room.effects.flatMap((each) =>
    each.do === 'run-exit-document' ? [`${each.participant.leg} ${each.because}`] : [],
  );
const reported = (room: Room) =>
  room.effects.flatMap((each) =>
    each.do === 'emit' && each.event.type === 'exit-action'
      ? [`${each.event.participant.leg} ${each.event.request.url}`]
      : [],
  );

describe('on_exit_action_url of a dialled or moved leg', () => {
  const joined = (more: Partial<RequestedParticipant> = {}) =>
    Room.created()
      .answer(1)
      .join(2)
      .join(3, { onExitAction, ...more });

  it('a kick runs its document on the leg, after it is out of the mix, instead of a hang-up', () => {
    const room = joined().after(9).send(kick(3));
    assert.deepEqual(documents(room), ['leg-3 kicked']);
    assert.deepEqual(room.hangUps, []);
    assert.ok(room.orders.indexOf('set-hearing') < room.orders.indexOf('run-exit-document'));
    const order = room.effects.find((each) => each.do === 'run-exit-document');
    assert.ok(order?.do === 'run-exit-document');
    assert.equal(order.participant.exitCause, 'Kicked Out of Multiparty Call');
    assert.notEqual(order.participant.exitedAt, null);
    assert.deepEqual(reported(room), []);
  });

  it('every end of the call runs its document too; without a document the cause is that of an ended call', () => {
    const ends: readonly (readonly [MultipartyCallInput, string])[] = [
      [{ type: 'end' }, 'end-requested'],
      [{ type: 'timer-fired', key: 'max-duration' }, 'call-ended'],
    ];
    for (const [end, because] of ends) {
      const room = joined().send(end);
      assert.deepEqual(documents(room), [`leg-3 ${because}`]);
      assert.deepEqual(room.hangUps, [`leg-1 ${because}`, `leg-2 ${because}`]);
    }
    const alone = Room.created('active', { onExitAction }).answer(1).join(2).hangUp(2);
    assert.equal(alone.call.termination, 1010);
    assert.deepEqual(documents(alone), ['leg-1 call-ended']);
  });

  it('a hang-up leaves no leg for a document: the URL receives one callback after the exit', () => {
    const room = joined().hangUp(3);
    assert.deepEqual(documents(room), []);
    assert.deepEqual(reported(room), ['leg-3 https://example.com/exit']);
    assert.deepEqual(room.events, ['participant-exited', 'exit-action']);
  });

  it('a transfer skips the exit action', () => {
    const room = joined().send({ type: 'leg-taken', leg: 'leg-3' });
    assert.deepEqual([...documents(room), ...reported(room)], []);
  });

  it('a participant that never joined is hung up without the exit action', () => {
    const confirmation = { key: '1', sound: null };
    const pending = Room.created().answer(1).add(2, { onExitAction }).send(kick(2));
    assert.deepEqual(pending.hangUps, ['leg-2 kicked']);
    const asked = Room.created().answer(1).add(2, { onExitAction, confirmation }).answer(2).press(2, '5');
    assert.deepEqual(asked.hangUps, ['leg-2 not-confirmed']);
    for (const room of [pending, asked, Room.created('active', { onExitAction }).hangUp(1)]) {
      assert.deepEqual([...documents(room), ...reported(room)], []);
    }
  });

  it('a kick of a moved leg runs its document too', () => {
    const room = Room.created().answer(1).join(2).add(3, { origin: 'taken', onExitAction });
    room.send({ type: 'leg-here', leg: 'leg-3', isAnswered: true }, kick(3));
    assert.deepEqual(documents(room), ['leg-3 kicked']);
  });

  it('a borrowed leg leaves the exit action to its document, unless it hangs up', () => {
    const borrowed = () => {
      const room = Room.created().answer(1).join(2).add(3, { origin: 'borrowed', onExitAction });
      return room.send({ type: 'leg-here', leg: 'leg-3', isAnswered: true });
    };
    const kicked = borrowed().send(kick(3));
    assert.deepEqual(documents(kicked), []);
    assert.ok(kicked.orders.includes('give-back'));
    assert.deepEqual(reported(borrowed().hangUp(3)), ['leg-3 https://example.com/exit']);
  });

  it('a restart runs no exit action: the legs are gone', () => {
    const room = joined().send({ type: 'process-restarted', diedAt: Number.MAX_SAFE_INTEGER });
    assert.deepEqual([...documents(room), ...reported(room)], []);
  });
});
