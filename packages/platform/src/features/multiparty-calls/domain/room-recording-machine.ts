import type { Machine } from '@jackfield/ports';
import type { MultipartyCall, MultipartyCallEffect, MultipartyCallInput } from './multiparty-call.ts';
import { isPresent } from './participant.ts';
import { channelsFor, hasChannels, isSameTracks, membersOn, tracksOf } from './recorded-tracks.ts';
import type { RequestedRecording, RoomRecording } from './room-recording.ts';
import { announcementOver, brokenOff, changed, record } from './room-recording-steps.ts';
import type { RoomEffect, RoomInput, RoomRecordingEffect, RoomStep } from './room-step.ts';

/** The machine of a call with its recordings: they follow the participants, and end before the end of the call is reported. */
export function withRecordings(
  machine: Machine<MultipartyCall, MultipartyCallInput, MultipartyCallEffect>,
): Machine<MultipartyCall, RoomInput, RoomEffect> {
  return {
    step(call, input, now) {
      switch (input.type) {
        case 'record':
          return record(call, input);
        case 'stop-recording':
        case 'pause-recording':
        case 'resume-recording':
          return changed(call, input);
        case 'announcement-over':
          return announcementOver(call, input.recording);
        case 'recording-over':
          return recordingOver(call, input.recording);
        case 'process-restarted':
          // The recordings ended before (create-platform.ts); only the event of the end is missing.
          if (call.recordings.isEndOwed) return endReported(call);
          break;
      }
      return followed(call, machine.step(call, input as MultipartyCallInput, now));
    },
  };
}

function recordingOver(call: MultipartyCall, recording: string): RoomStep {
  const live = call.recordings.live.filter(({ uuid }) => uuid !== recording);
  if (live.length === call.recordings.live.length) return { state: call, effects: [] };
  const state = { ...call, recordings: { ...call.recordings, live } };
  return state.recordings.isEndOwed && live.length === 0 ? endReported(state) : { state, effects: [] };
}

function endReported(call: MultipartyCall): RoomStep {
  return {
    state: { ...call, recordings: { ...call.recordings, live: [], isEndOwed: false } },
    effects: [{ do: 'emit', event: { type: 'ended' } }],
  };
}

/** Applies a change of the call to its recordings. */
function followed(before: MultipartyCall, step: RoomStep): RoomStep {
  const { state: after } = step;
  if (after === before) return step;
  if (after.status === 'ended') return before.status === 'ended' ? step : ended(step);
  const kept: RoomRecording[] = [];
  const effects: RoomEffect[] = [];
  for (const recording of after.recordings.live) {
    const next = followedOne(before, after, recording, effects);
    if (next !== undefined) kept.push(next);
  }
  const isChanged = kept.some((each, index) => each !== after.recordings.live[index]);
  const isSame = !isChanged && kept.length === after.recordings.live.length;
  const state = isSame ? after : { ...after, recordings: { ...after.recordings, live: kept } };
  const begun = begunByItself(before, state);
  return { state: begun.state, effects: [...step.effects, ...effects, ...begun.effects] };
}

/** The recording after the change. */
function followedOne(
  before: MultipartyCall,
  after: MultipartyCall,
  recording: RoomRecording,
  effects: RoomEffect[],
): RoomRecording | undefined {
  const { uuid, of, status } = recording;
  if (status === 'stopping') return recording;
  if (of !== 'call' && !after.participants.some((each) => each.memberId === of && isPresent(each))) {
    effects.push({ do: 'stop-recording', recording: uuid });
    return { ...recording, status: 'stopping' };
  }
  if (status === 'announcing') return recording;
  const channels = hasChannels(recording) ? channelsFor(recording.channels, after) : recording.channels;
  const next = channels === recording.channels ? recording : { ...recording, channels };
  const tracks = tracksOf(next, after);
  if (!isSameTracks(tracksOf(recording, before), tracks)) {
    effects.push({ do: 'retrack-recording', recording: uuid, tracks });
  }
  if (hasChannels(recording)) {
    const members = membersOn(channels, after);
    const known = membersOn(recording.channels, before);
    const isSame =
      members.length === known.length &&
      members.every((each, index) => {
        const other = known[index];
        return each.channel === other?.channel && each.memberId === other.memberId;
      });
    if (!isSame) effects.push({ do: 'report-channels', recording: uuid, members });
  }
  return next;
}

/** Every recording ends with the call, and is reported before the call. */
function ended(step: RoomStep): RoomStep {
  const { state: call } = step;
  const { live } = call.recordings;
  if (live.length === 0) return step;
  const stops = live.flatMap((each): readonly RoomRecordingEffect[] => {
    if (each.status === 'stopping') return [];
    if (each.status === 'announcing') return brokenOff(call, each);
    return [{ do: 'stop-recording', recording: each.uuid }];
  });
  const left = live.map((each): RoomRecording => ({ ...each, status: 'stopping' }));
  const others = step.effects.filter((effect) => !(effect.do === 'emit' && effect.event.type === 'ended'));
  return {
    state: { ...call, recordings: { ...call.recordings, live: left, isEndOwed: true } },
    effects: [...stops, ...others],
  };
}

/** The recordings that the creator requested begin once enough participants are present. */
function begunByItself(before: MultipartyCall, call: MultipartyCall): RoomStep {
  const { recording: requested, recordings, recordMinMemberCount, recordingCallback: callback } = call;
  if (!requested.wholeCall && !requested.eachParticipant) return { state: call, effects: [] };
  const present = call.participants.filter(isPresent);
  if (recordings.isDue && (call.status !== 'active' || present.length < recordMinMemberCount)) {
    return { state: call, effects: [] };
  }
  const wasPresent = (memberId: number): boolean =>
    before.participants.some((each) => each.memberId === memberId && isPresent(each));
  const added = present.filter(({ memberId }) => recordings.isDue || !wasPresent(memberId));
  const names: Omit<RequestedRecording, 'uuid'>[] = [];
  const { format, transcript } = requested;
  const how = { format, callback, ...(transcript === null ? {} : { transcript }) };
  if (requested.wholeCall && recordings.isDue) names.push({ of: 'call', track: 'mix', ...how });
  if (requested.eachParticipant) {
    for (const { memberId } of added) names.push({ of: memberId, track: 'participant', ...how });
  }
  return {
    state: recordings.isDue ? { ...call, recordings: { ...recordings, isDue: false } } : call,
    effects: names.length === 0 ? [] : [{ do: 'name-recordings', requested: names }],
  };
}
