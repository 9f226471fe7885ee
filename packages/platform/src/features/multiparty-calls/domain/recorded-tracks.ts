import type { CaptureTrack } from '@jackfield/ports';
import type { ChannelMember } from '../../recordings/index.ts';
import type { MultipartyCall } from './multiparty-call.ts';
import { isPresent, type Participant } from './participant.ts';
import type { RoomRecording } from './room-recording.ts';

type Recorded = Pick<MultipartyCall, 'status' | 'participants' | 'recording'>;

/** What a recording takes down of a call as it is: voices alone, since sounds belong to nobody. */
export function tracksOf(
  recording: Pick<RoomRecording, 'of' | 'track' | 'format' | 'channels'>,
  call: Recorded,
): readonly CaptureTrack[] {
  const voices = call.participants.filter((each) => isRecorded(each, call));
  const trackOf = (wanted: (participant: Participant) => boolean): CaptureTrack => ({
    said: voices.filter(wanted).map(({ leg }) => leg),
    heard: [],
  });
  switch (recording.track) {
    case 'mix':
      return [trackOf(() => true)];
    case 'participant':
      return [trackOf(({ memberId }) => memberId === recording.of)];
    case 'all':
      // An MP3 file holds two channels: the participant, and everybody else.
      return recording.format === 'mp3'
        ? [
            trackOf(({ memberId }) => memberId === recording.of),
            trackOf(({ memberId }) => memberId !== recording.of),
          ]
        : recording.channels.map((member) => trackOf(({ memberId }) => memberId === member));
  }
}

/** Who can be heard by somebody in the call: nobody on hold, muted, or before it is active. */
function isRecorded(participant: Participant, { status, recording }: Recorded): boolean {
  const { hold, mute, role, coachMode } = participant;
  if (status !== 'active' || !isPresent(participant) || hold || mute) return false;
  return recording.coachVoice || !(role === 'supervisor' && coachMode);
}

/** Everybody has a channel of their own, as many as may be in the call at once. */
export function hasChannels({ track, format }: Pick<RoomRecording, 'track' | 'format'>): boolean {
  return track === 'all' && format === 'wav';
}

/**
 * Who is on which channel from now on. A member keeps its channel; who comes takes one that nobody has had, else the first of
 * those who have left.
 */
export function channelsFor(
  before: readonly (number | null)[],
  call: Pick<MultipartyCall, 'participants' | 'maxParticipants'>,
): readonly (number | null)[] {
  const present = call.participants.filter(isPresent).map(({ memberId }) => memberId);
  const added = present.filter((member) => !before.includes(member));
  if (added.length === 0) return before;
  const channels = [...before];
  for (const member of added) {
    const free = channels.indexOf(null);
    const left = channels.findIndex((each) => each !== null && !present.includes(each));
    const place = free >= 0 ? free : left;
    if (place >= 0) channels[place] = member;
  }
  return channels;
}

/** Those of `channels` who are in the call. */
export function membersOn(
  channels: readonly (number | null)[],
  call: Pick<MultipartyCall, 'participants'>,
): readonly ChannelMember[] {
  return channels.flatMap((member, index) => {
    const found = call.participants.find((each) => each.memberId === member);
    if (found === undefined || !isPresent(found)) return [];
    return [{ channel: index + 1, memberId: found.memberId, callUuid: found.leg, role: found.role }];
  });
}

export function isSameTracks(left: readonly CaptureTrack[], right: readonly CaptureTrack[]): boolean {
  return left.every(({ said }, index) => {
    const other = right[index]?.said ?? [];
    return said.length === other.length && said.every((leg, place) => leg === other[place]);
  });
}
