import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { notRecorded, recordingStatusOf } from './room-recording.ts';
import { RecordedRoom } from './testing/recorded-room.ts';

const sound = (url: string) => ({ url, method: 'GET' }) as const;
const supervisor = { role: 'supervisor' } as const;

describe('recording a call as a whole', () => {
  it('records all on one channel, and follows the hearing table', () => {
    const room = new RecordedRoom().join(1, 2);
    assert.equal(room.record('one'), 'done');
    room.join(3).hangUp(2);
    assert.deepEqual(room.take(), ['start one 1+2', 'retrack one 1+2+3', 'retrack one 1+3']);
  });

  it('leaves out muted and held participants, whom no other hears', () => {
    const room = new RecordedRoom().join(1, 2, 3);
    room.record('one');
    room.send({ type: 'update', members: [2], switches: { mute: true } });
    room.send({ type: 'update', members: [3], switches: { hold: true } });
    room.send({ type: 'update', members: 'all', switches: { mute: false, hold: false } });
    assert.deepEqual(room.take(), [
      'start one 1+2+3',
      'retrack one 1+3',
      'retrack one 1',
      'retrack one 1+2+3',
    ]);
  });

  it('records no voice before the call is active', () => {
    const room = new RecordedRoom({}, { startsOnEnter: false }).join(1);
    room.record('one');
    room.send({ type: 'activate' });
    assert.deepEqual(room.take(), ['start one -', 'retrack one 1']);
  });

  it('records a supervisor who coaches, unless record_coach_voice is false', () => {
    const usual = new RecordedRoom().specify(2, supervisor).join(1, 2);
    usual.record('one');
    assert.deepEqual(usual.take(), ['start one 1+2']);

    const without = new RecordedRoom({ recording: { ...notRecorded, coachVoice: false } });
    without.specify(2, supervisor).join(1, 2);
    without.record('one');
    without.send({ type: 'update', members: [2], switches: { coachMode: false } });
    assert.deepEqual(without.take(), ['start one 1', 'retrack one 1+2']);
  });

  it('runs once at a time, and may begin again while the last file is being completed', () => {
    const room = new RecordedRoom().join(1);
    room.record('one');
    assert.deepEqual(room.record('two'), { because: 'recording-runs', memberId: null });
    assert.equal(room.order('stop-recording'), 'done');
    assert.equal(recordingStatusOf(room.call.recordings), 'not-recording');
    assert.equal(room.record('three'), 'done');
    room.over('one');
    assert.deepEqual(room.take(), ['start one 1', 'stop one', 'start three 1']);
    assert.equal(recordingStatusOf(room.call.recordings), 'recording');
  });

  it('is paused only while it runs, and resumed only while it is paused', () => {
    const room = new RecordedRoom().join(1);
    const none = { because: 'nothing-recorded', memberId: null };
    for (const order of ['stop-recording', 'pause-recording', 'resume-recording'] as const)
      assert.deepEqual(room.order(order), none);
    room.record('one');
    assert.deepEqual(room.order('resume-recording'), { because: 'not-paused', memberId: null });
    assert.equal(room.order('pause-recording'), 'done');
    assert.equal(recordingStatusOf(room.call.recordings), 'paused');
    assert.deepEqual(room.order('pause-recording'), { because: 'not-recording', memberId: null });
    assert.equal(room.order('resume-recording'), 'done');
    room.order('pause-recording');
    assert.equal(room.order('stop-recording'), 'done');
    assert.deepEqual(room.take(), ['start one 1', 'pause one', 'resume one', 'pause one', 'stop one']);
  });

  it('a recording that could not start does not run', () => {
    const room = new RecordedRoom().join(1);
    room.record('one');
    room.over('one');
    assert.equal(recordingStatusOf(room.call.recordings), 'not-recording');
    assert.equal(room.record('two'), 'done');
  });
});

describe('recording participants', () => {
  it('records one participant alone, beside the recording of the call', () => {
    const room = new RecordedRoom().join(1, 2);
    room.record('whole');
    assert.equal(room.record('one', { of: 2, track: 'participant' }), 'done');
    room.send({ type: 'update', members: [2], switches: { mute: true } });
    assert.deepEqual(room.take(), ['start whole 1+2', 'start one 2', 'retrack whole 1', 'retrack one -']);
  });

  it('an MP3 file holds the participant and all others on two channels', () => {
    const room = new RecordedRoom().join(1, 2);
    room.record('one', { of: 2, track: 'all', format: 'mp3' });
    room.join(3);
    assert.deepEqual(room.take(), ['start one 2 1', 'retrack one 2 1+3']);
  });

  it('a WAV file has a channel for each member; a new member has a free channel, else the first channel of a member that left', () => {
    const room = new RecordedRoom({ maxParticipants: 3 }).join(1, 2);
    room.record('one', { of: 1, track: 'all' });
    room.hangUp(2).join(3);
    room.join(4).hangUp(3);
    assert.deepEqual(room.take(), [
      'start one 1 2 -',
      'retrack one 1 - -',
      'channels one 1:1',
      'retrack one 1 - 3',
      'channels one 1:1 3:3',
      'retrack one 1 4 3',
      'channels one 1:1 2:4 3:3',
      'retrack one 1 4 -',
      'channels one 1:1 2:4',
    ]);
  });

  it('a recording ends when its participant leaves', () => {
    const room = new RecordedRoom().join(1, 2);
    room.record('one', { of: 2, track: 'participant' });
    room.hangUp(2);
    assert.deepEqual(room.take(), ['start one 2', 'stop one']);
  });

  it('a recording of an unknown member, a member not joined, or a recorded member is refused', () => {
    const room = new RecordedRoom().join(1);
    room.send({
      type: 'add-participant',
      rivals: [{ ...room.call.participants[0]!, memberId: 2, leg: 'leg-2', requestUuid: 'request-2' }],
    });
    assert.deepEqual(room.record('a', { of: 9, track: 'all' }), { because: 'no-such-member', memberId: 9 });
    assert.deepEqual(room.record('b', { of: 2, track: 'all' }), { because: 'not-joined', memberId: 2 });
    room.record('c', { of: 1, track: 'all' });
    assert.deepEqual(room.record('d', { of: 1, track: 'all' }), { because: 'recording-runs', memberId: 1 });
    assert.equal(room.record('e', { of: 1, track: 'participant' }), 'done');
  });

  it('recordings are stopped by track, by member and for all; without a track all that run', () => {
    const room = new RecordedRoom().join(1, 2);
    room.record('a', { of: 1, track: 'all' });
    room.record('b', { of: 1, track: 'participant' });
    room.record('c', { of: 2, track: 'participant' });
    room.take();
    assert.equal(room.order('pause-recording', [1], 'participant'), 'done');
    assert.deepEqual(room.order('pause-recording', [2], 'all'), {
      because: 'nothing-recorded',
      memberId: 2,
    });
    assert.deepEqual(room.order('resume-recording', [1, 2]), { because: 'not-paused', memberId: 1 });
    assert.equal(room.order('stop-recording', [1]), 'done');
    assert.equal(room.order('stop-recording', 'all'), 'done');
    assert.deepEqual(room.order('stop-recording', 'all'), { because: 'nothing-recorded', memberId: null });
    assert.deepEqual(room.take(), ['pause b', 'stop a', 'stop b', 'stop c']);
  });
});

describe('recordings that begin by themselves', () => {
  const recording = { ...notRecorded, wholeCall: true, eachParticipant: true };

  it('begin once, at record_min_member_count participants', () => {
    const room = new RecordedRoom({ recording, recordMinMemberCount: 2 }).join(1);
    assert.deepEqual(room.take(), []);
    room.join(2);
    assert.deepEqual(room.take(), ['start auto-1 1+2', 'start auto-2 1', 'start auto-3 2']);
    room.hangUp(2);
    room.order('stop-recording');
    room.join(3);
    assert.deepEqual(room.take(), ['retrack auto-1 1', 'stop auto-3', 'stop auto-1', 'start auto-4 3']);
  });

  it('wait for the call to be active', () => {
    const room = new RecordedRoom({ recording }, { startsOnEnter: false }).join(1);
    assert.deepEqual(room.take(), []);
    room.send({ type: 'activate' });
    assert.deepEqual(room.take(), ['start auto-1 1', 'start auto-2 1']);
  });
});

describe('announcements', () => {
  const recording = { ...notRecorded, startSound: sound('a'), stopSound: sound('b') };

  it('play to all before the recording of the call begins, and after it was stopped', () => {
    const room = new RecordedRoom({ recording }).join(1, 2);
    room.record('one');
    assert.equal(recordingStatusOf(room.call.recordings), 'recording');
    assert.deepEqual(room.take(), ['announce one start to leg-1 leg-2']);
    room.join(3);
    room.send({ type: 'announcement-over', recording: 'one' });
    room.order('stop-recording');
    assert.deepEqual(room.take(), ['start one 1+2+3', 'stop one', 'announce one stop to leg-1 leg-2 leg-3']);
    room.send({ type: 'announcement-over', recording: 'one' });
    assert.deepEqual(room.take(), []);
  });

  it('a stop and the end of the call interrupt them: no voice is recorded, and the end of the recording is reported', () => {
    const stopped = new RecordedRoom({ recording }).join(1);
    stopped.record('one');
    stopped.order('stop-recording');
    stopped.send({ type: 'announcement-over', recording: 'one' });
    const broken = ['announce one start to leg-1', 'stop-announcement one', 'start one -', 'stop one'];
    assert.deepEqual(stopped.take(), broken);
    assert.equal(recordingStatusOf(stopped.call.recordings), 'not-recording');

    const ended = new RecordedRoom({ recording }).join(1);
    ended.record('one');
    ended.send({ type: 'end' });
    assert.deepEqual(ended.take(), broken);
    ended.send({ type: 'recording-over', recording: 'one' });
    assert.deepEqual(ended.take(), ['ended']);
  });

  it('do not play for the recording of one participant', () => {
    const room = new RecordedRoom({ recording }).join(1);
    room.record('one', { of: 1, track: 'participant' });
    assert.deepEqual(room.take(), ['start one 1']);
  });
});

describe('the end of a call', () => {
  it('is reported after its recordings have ended, files being completed included', () => {
    const room = new RecordedRoom().join(1, 2);
    room.record('one');
    room.order('stop-recording');
    room.record('two');
    room.send({ type: 'end' });
    assert.equal(room.call.status, 'ended');
    assert.equal(room.call.recordings.isEndOwed, true);
    assert.deepEqual(room.take(), ['start one 1+2', 'stop one', 'start two 1+2', 'stop two']);
    room.over('two');
    assert.deepEqual(room.take(), []);
    room.over('one');
    assert.deepEqual(room.take(), ['ended']);
    assert.equal(room.call.recordings.isEndOwed, false);
    room.over('one');
    assert.deepEqual(room.take(), []);
  });

  it('is reported after a restart, if the process died before', () => {
    const room = new RecordedRoom().join(1);
    room.record('one');
    room.send({ type: 'end' });
    room.take();
    room.send({ type: 'process-restarted', diedAt: Number.MAX_SAFE_INTEGER });
    assert.deepEqual(room.take(), ['ended']);
  });

  it('refuses all requests about its recordings', () => {
    const room = new RecordedRoom().join(1);
    room.record('one');
    room.send({ type: 'end' });
    assert.deepEqual(room.record('two'), { because: 'ended' });
    assert.deepEqual(room.order('stop-recording'), { because: 'ended' });
  });
});
