import type { CaptureTrack } from '@jackfield/ports';
import type { ChannelMember } from '../../recordings/index.ts';
import type { MultipartyCall } from './multiparty-call.ts';
import { isPresent, type Participant } from './participant.ts';
import type { RoomRecording } from './room-recording.ts';

type Recorded = Pick<MultipartyCall, 'status' | 'participants' | 'recording'>;

/** The tracks of a recording for this state of a call: voices only, sounds are not recorded. */
export function tracksOf(
  recording: Pick<RoomRecording, 'of' | 'track' | 'format' | 'channels'>,
  call: Recorded,
): readonly CaptureTrack[] {
  const voices = call.participants.filter((each) => isRecorded(each, call));
  const trackOf = (requested: (participant: Participant) => boolean): CaptureTrack => ({
    said: voices.filter(requested).map(({ leg }) => leg),
    heard: [],
  });
  switch (recording.track) {
    case 'mix':
      return [trackOf(() => true)];
    case 'participant':
      return [trackOf(({ memberId }) => memberId === recording.of)];
    case 'all':
      // An MP3 file holds two channels: the participant, and all others.
      return recording.format === 'mp3'
        ? [
            trackOf(({ memberId }) => memberId === recording.of),
            trackOf(({ memberId }) => memberId !== recording.of),
          ]
        : recording.channels.map((member) => trackOf(({ memberId }) => memberId === member));
  }
}

/** Whether another participant could hear it: not on hold, not muted, not before the call is active. */
function isRecorded(participant: Participant, { status, recording }: Recorded): boolean {
  const { hold, mute, role, coachMode } = participant;
  if (status !== 'active' || !isPresent(participant) || hold || mute) return false;
  return recording.coachVoice || !(role === 'supervisor' && coachMode);
}

/** Each member has its own channel, one for each of max_participants. */
export function hasChannels({ track, format }: Pick<RoomRecording, 'track' | 'format'>): boolean {
  return track === 'all' && format === 'wav';
}

/**
 * The member of each channel from now on. A member keeps its channel; a new member has the first unused channel, else the first
 * channel of a member that left.
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
    const chosen = free >= 0 ? free : left;
    if (chosen >= 0) channels[chosen] = member;
  }
  return channels;
}

/** The members of `channels` that are in the call. */
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
    return said.length === other.length && said.every((leg, at) => leg === other[at]);
  });
}
