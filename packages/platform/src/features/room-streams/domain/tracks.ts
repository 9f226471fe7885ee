import type { StreamTrack } from '@jackfield/ports';
import type { Room, RoomMember } from '../../multiparty-calls/index.ts';

/** Whom a stream of a room speaks to; null: everybody. */
export type SpeakTo = readonly RoomMember['role'][] | null;

/**
 * One track for each participant, named by its member id: the same words are on one track only. One who is muted, on hold, or
 * waits for the beginning has a silent track.
 */
export function tracksOf({ members }: Room): readonly StreamTrack[] {
  return members.map(({ memberId, leg, isHeard }) => ({
    name: String(memberId),
    said: isHeard ? [leg] : [],
    heard: [],
    keysOf: [leg],
  }));
}

/** Those on hold hear their music and nothing else. */
export function hearersOf({ members }: Room, speakTo: SpeakTo): readonly string[] {
  return members
    .filter(({ role, isListening }) => isListening && (speakTo?.includes(role) ?? true))
    .map(({ leg }) => leg);
}
