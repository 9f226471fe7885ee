import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withEvents } from './live-machine.ts';
import type { LiveState } from './live-snapshot.ts';

const nothing: LiveState = { calls: new Map(), rooms: new Map() };
let events = 0;
const event = (type: string, data: Readonly<Record<string, unknown>>) => ({
  id: `1-${events++}`,
  type,
  resource: '',
  created_at: '2026-02-01T10:00:00.000Z',
  data,
});
const call = (type: string, uuid: string, more: object = {}) =>
  event(`call.${type}`, { CallUUID: uuid, From: '1', To: '2', Direction: 'outbound', ...more });
const room = (type: string, more: object = {}) =>
  event(`multiparty-call.${type}`, { MPCUUID: 'r', MPCName: 'support', ...more });
const member = (id: string, role = 'agent') => ({
  MemberID: id,
  ParticipantRole: role,
  ParticipantCallUUID: `c${id}`,
});

describe('Live calls after events', () => {
  it('a call appears when it rings, is answered, and goes when it ends', () => {
    const rings = withEvents(nothing, [call('ringing', 'a'), call('ringing', 'b')]);
    const answered = withEvents(rings, [call('answered', 'a')]);
    assert.deepEqual(
      [...answered.calls.values()].map(({ call_uuid: uuid, status }) => [uuid, status]),
      [
        ['a', 'in-progress'],
        ['b', 'ringing'],
      ],
    );
    assert.equal(answered.calls.get('b'), rings.calls.get('b'), 'a row without a change is the same object');
    assert.deepEqual([...withEvents(answered, [call('ended', 'a')]).calls.keys()], ['b']);
  });

  it('a change of quality shows its class; of an unknown call it changes nothing', () => {
    const quality = call('quality', 'a', { Class: 'poor', Mos: 3.2, LossPercent: 4, JitterMs: 30 });
    const after = withEvents(withEvents(nothing, [call('ringing', 'a')]), [quality]);
    assert.deepEqual(
      [after.calls.get('a')?.quality?.class, after.calls.get('a')?.quality?.mos],
      ['poor', 3.2],
    );
    assert.equal(withEvents(nothing, [quality]).calls.size, 0);
  });

  it('a multiparty call has the members that joined, with what was changed of them', () => {
    const began = withEvents(nothing, [
      room('initialized'),
      room('started'),
      room('participant-joined', member('1')),
      room('participant-joined', member('2', 'supervisor')),
      room('participant-muted', member('2', 'supervisor')),
      room('coaching-started', member('2', 'supervisor')),
    ]);
    const shown = began.rooms.get('r')!;
    assert.equal(shown.status, 'Active');
    assert.deepEqual(
      shown.members.map(({ member_id: id, role, mute, coach_mode: coaches }) => [id, role, mute, coaches]),
      [
        ['1', 'agent', false, false],
        ['2', 'supervisor', true, true],
      ],
    );
    const left = withEvents(began, [room('participant-exited', member('1'))]);
    assert.deepEqual(
      left.rooms.get('r')?.members.map(({ member_id: id }) => id),
      ['2'],
    );
    assert.equal(withEvents(left, [room('ended')]).rooms.size, 0);
  });

  it('an event of a multiparty call that is not known, because it has ended, brings nothing back', () => {
    assert.equal(withEvents(nothing, [room('participant-exited', member('1'))]).rooms.size, 0);
  });
});
