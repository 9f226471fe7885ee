import type { StreamTrack } from '@jackfield/ports';
import type { Room, RoomMember } from '../../multiparty-calls/index.ts';

/** Roles that hear a stream of a room; null: all. */
export type SpeakTo = readonly RoomMember['role'][] | null;

/**
 * One track for each participant, named by its member id: each voice is on one track only. The track is silent while the
 * participant is muted, on hold, or waits for the beginning.
 */
export function tracksOf({ members }: Room): readonly StreamTrack[] {
  return members.map(({ memberId, leg, isHeard }) => ({
    name: String(memberId),
    said: isHeard ? [leg] : [],
    heard: [],
    keysOf: [leg],
  }));
}

/** A participant on hold hears its music alone. */
export function hearersOf({ members }: Room, speakTo: SpeakTo): readonly string[] {
  return members
    .filter(({ role, isListening }) => isListening && (speakTo?.includes(role) ?? true))
    .map(({ leg }) => leg);
}
