import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaptureTrack } from '@jackfield/ports';
import fc from 'fast-check';
import { isPresent } from './participant.ts';
import { membersOn, tracksOf } from './recorded-tracks.ts';
import { isRunning, notRecorded, type RecordedTrack } from './room-recording.ts';
import type { RoomEffect } from './room-step.ts';
import { RecordedRoom } from './testing/recorded-room.ts';

/** The recordings as the recordings feature sees them. */
class Recorder {
  readonly tracks = new Map<string, readonly CaptureTrack[]>();
  readonly members = new Map<string, string>();
  readonly paused = new Set<string>();
  readonly stopped = new Set<string>();
  readonly over = new Set<string>();
  readonly announcing = new Set<string>();
  ends = 0;

  take(effect: RoomEffect): void {
    switch (effect.do) {
      case 'announce':
        if (effect.isStart) this.announcing.add(effect.recording);
        return;
      case 'stop-announcement':
        assert.ok(this.announcing.delete(effect.recording), 'only a running announcement is interrupted');
        return;
      case 'start-recording': {
        const { uuid } = effect.recording;
        assert.ok(!this.tracks.has(uuid), 'a recording begins once');
        this.announcing.delete(uuid);
        this.tracks.set(uuid, effect.tracks);
        this.members.set(uuid, JSON.stringify(effect.members));
        return;
      }
      case 'retrack-recording':
        this.#runs(effect.recording);
        assert.equal(
          effect.tracks.length,
          this.tracks.get(effect.recording)?.length,
          'tracks keep their number',
        );
        this.tracks.set(effect.recording, effect.tracks);
        return;
      case 'report-channels':
        this.#runs(effect.recording);
        this.members.set(effect.recording, JSON.stringify(effect.members));
        return;
      case 'pause-recording':
        this.#runs(effect.recording);
        assert.ok(!this.paused.has(effect.recording));
        this.paused.add(effect.recording);
        return;
      case 'resume-recording':
        this.#runs(effect.recording);
        assert.ok(this.paused.delete(effect.recording));
        return;
      case 'stop-recording':
        this.#runs(effect.recording);
        this.stopped.add(effect.recording);
        return;
      case 'emit':
        if (effect.event.type !== 'ended') return;
        this.ends++;
        for (const uuid of this.tracks.keys()) assert.ok(this.over.has(uuid), 'the end is reported last');
    }
  }

  #runs(uuid: string): void {
    assert.ok(this.tracks.has(uuid) && !this.stopped.has(uuid), `${uuid} gets orders only while it runs`);
  }
}

const member = fc.integer({ min: 1, max: 5 });
const track = fc.constantFrom<RecordedTrack>('participant', 'all');
const happening = fc.oneof(
  fc.record({ type: fc.constantFrom('join' as const, 'join' as const, 'leave' as const), member }),
  fc.record({ type: fc.constant('record' as const) }),
  fc.record({
    type: fc.constant('record-member' as const),
    member,
    track,
    format: fc.constantFrom('mp3' as const, 'wav' as const),
  }),
  fc.record({
    type: fc.constantFrom('stop-recording' as const, 'pause-recording' as const, 'resume-recording' as const),
    of: fc.oneof(fc.constant('call' as const), fc.constant('all' as const), member),
    tracks: fc.constantFrom('participant' as const, 'all' as const, 'both' as const, null),
  }),
  fc.record({
    type: fc.constant('switch' as const),
    member,
    what: fc.constantFrom('mute' as const, 'hold' as const, 'coachMode' as const),
    on: fc.boolean(),
  }),
  fc.record({ type: fc.constant('over' as const), at: fc.nat({ max: 9 }) }),
  fc.record({ type: fc.constant('announced' as const) }),
);
const act = fc.oneof(
  { weight: 40, arbitrary: happening },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('end' as const) }) },
);

test('in any order of inputs, recordings get orders only while they run, record the audible participants, and end before the call', () => {
  let [starts, retracks] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(act, { minLength: 15, maxLength: 40 }),
      fc.record({
        wholeCall: fc.boolean(),
        eachParticipant: fc.boolean(),
        coachVoice: fc.boolean(),
        announced: fc.boolean(),
        least: fc.integer({ min: 1, max: 2 }),
      }),
      (acts, spec) => {
        const { announced, least, ...requested } = spec;
        const sound = announced ? { url: 'https://a', method: 'GET' as const } : null;
        const room = new RecordedRoom({
          recording: { ...notRecorded, ...requested, startSound: sound, stopSound: sound },
          recordMinMemberCount: least,
          maxParticipants: 4,
        });
        room.specify(2, { role: 'supervisor' }).specify(3, { role: 'customer' });
        const recorder = new Recorder();
        let names = 0;
        const settle = () => {
          for (const effect of room.takeEffects()) {
            recorder.take(effect);
            if (effect.do === 'start-recording') starts++;
            if (effect.do === 'retrack-recording') retracks++;
          }
          for (const recording of room.call.recordings.live) {
            const { uuid } = recording;
            if (!isRunning(recording) || recording.status === 'announcing') continue;
            const tracks = tracksOf(recording, room.call);
            assert.deepEqual(recorder.tracks.get(uuid), tracks, 'the tracks follow the state of the call');
            const held = room.call.participants.filter((each) => each.hold || each.mute || !isPresent(each));
            for (const { leg } of held) assert.ok(tracks.every(({ said }) => !said.includes(leg)));
            const members = membersOn(recording.channels, room.call);
            if (recording.channels.length > 0)
              assert.equal(recorder.members.get(uuid), JSON.stringify(members));
          }
          assert.equal(
            recorder.ends,
            room.call.status === 'ended' && !room.call.recordings.isEndOwed ? 1 : 0,
          );
        };
        room.join(1);
        settle();
        for (const each of acts) {
          perform(room, each, recorder, () => `asked-${++names}`);
          settle();
        }
        room.send({ type: 'end' });
        settle();
        for (const uuid of recorder.tracks.keys()) {
          assert.ok(recorder.stopped.has(uuid) || recorder.over.has(uuid), 'all are stopped with the call');
          recorder.over.add(uuid);
          room.over(uuid);
          settle();
        }
        assert.equal(recorder.announcing.size, 0);
        assert.equal(recorder.ends, 1);
      },
    ),
    { numRuns: 300 },
  );
  assert.ok(starts > 300 && retracks > 100, `${starts} starts, ${retracks} retracks`);
});

type Act = typeof act extends fc.Arbitrary<infer One> ? One : never;

function perform(room: RecordedRoom, each: Act, recorder: Recorder, name: () => string): void {
  switch (each.type) {
    case 'join': {
      if (!room.call.participants.some(({ memberId }) => memberId === each.member)) room.join(each.member);
      return;
    }
    case 'leave':
      room.hangUp(each.member);
      return;
    case 'record':
      room.record(name());
      return;
    case 'record-member':
      room.record(name(), { of: each.member, track: each.track, format: each.format });
      return;
    case 'switch':
      room.send({ type: 'update', members: [each.member], switches: { [each.what]: each.on } });
      return;
    case 'over': {
      const uuid = [...recorder.tracks.keys()][each.at];
      if (uuid === undefined || recorder.over.has(uuid)) return;
      // It was stopped, or has failed.
      recorder.over.add(uuid);
      recorder.stopped.add(uuid);
      room.over(uuid);
      return;
    }
    case 'announced':
      for (const recording of recorder.announcing) room.send({ type: 'announcement-over', recording });
      return;
    case 'end':
      room.send({ type: 'end' });
      return;
    default:
      room.order(each.type, typeof each.of === 'number' ? [each.of] : each.of, each.tracks);
  }
}
