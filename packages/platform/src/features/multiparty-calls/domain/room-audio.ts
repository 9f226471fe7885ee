import type { Sound } from '@jackfield/ports';
import { whoHearsWhom } from './hearing.ts';
import type { MultipartyCall, Room, RoomSoundEffect } from './multiparty-call.ts';
import { type EdgeSound, isPresent, type Participant } from './participant.ts';
import type { RoomAudioEffect } from './room-audio-effect.ts';
import { audienceOf } from './room-plays.ts';
import { soundChanges } from './room-sounds.ts';

/**
 * Orders that take the mix from one state to the next. The table comes first: closed edges are gone before new sounds
 * start, and a leg enters the mix only through a table that already holds its edges.
 */
export function audioChanges(
  before: Room,
  after: Room & Pick<MultipartyCall, 'account' | 'mainAccount'>,
): readonly (RoomAudioEffect | RoomSoundEffect)[] {
  const effects: (RoomAudioEffect | RoomSoundEffect)[] = [];
  const table = hearingOf(after);
  if (!isSameTable(hearingOf(before), table)) effects.push({ do: 'set-hearing', members: table });
  effects.push(...soundChanges(before, after));
  return effects;
}

/** A beep for the conversation; members on hold or waiting for the start hear music instead. */
export function beep(
  room: Room,
  key: string,
  requested: EdgeSound,
  /** Whether all hear it, or only the members who may learn of this participant. */
  of: 'all' | Participant,
): readonly RoomAudioEffect[] {
  const audience =
    of === 'all' ? room.participants.filter((each) => isPresent(each) && !each.hold) : audienceOf(room, of);
  const to = audience.map(({ leg }) => leg);
  if (typeof requested !== 'string' || requested === 'none' || room.status !== 'active' || to.length === 0)
    return [];
  const sound: Sound = { kind: 'beep', count: requested === 'beep:1' ? 1 : 2 };
  return [{ do: 'play', key, to, sound, loop: false }];
}

type HearingTable = ReturnType<typeof whoHearsWhom>;

/** The hearing table for the mix of a call. */
export function hearingOf(room: Pick<Room, 'status' | 'participants'>): HearingTable {
  return whoHearsWhom(room.participants.filter(isPresent), room.status === 'active');
}

function isSameTable(left: HearingTable, right: HearingTable): boolean {
  return (
    left.length === right.length &&
    left.every((member, row) => {
      const other = right[row];
      return (
        other?.leg === member.leg &&
        other.hears.length === member.hears.length &&
        other.hears.every((leg, column) => leg === member.hears[column])
      );
    })
  );
}
