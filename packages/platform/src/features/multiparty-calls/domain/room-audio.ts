import type { MixCommand, Sound } from '../../../ports/media.ts';
import { whoHearsWhom } from './hearing.ts';
import type { MultipartyCall, RoomSoundEffect } from './multiparty-call.ts';
import { type EdgeSound, isPresent, type Participant } from './participant.ts';
import { soundChanges } from './room-sounds.ts';

type OfThisMix<Command> = Command extends { readonly mix: string } ? Omit<Command, 'mix'> : never;

/** An order to the mix of the call; the call's effects add its name. */
export type RoomAudioEffect = OfThisMix<MixCommand>;

/** What the sound in a room depends on. */
export interface Room {
  readonly status: 'initialized' | 'active' | 'ended';
  readonly participants: readonly Participant[];
}

/**
 * Takes the mix from one state to the next. The table comes first: an edge that a change takes away is gone before
 * anything that the change starts is heard, and a leg is in the mix only through a table that already holds its edges.
 */
export function audioChanges(
  before: Room,
  after: Room & Pick<MultipartyCall, 'account' | 'mainAccount'>,
): readonly (RoomAudioEffect | RoomSoundEffect)[] {
  const effects: (RoomAudioEffect | RoomSoundEffect)[] = [];
  const table = hearingOf(after);
  if (!isSameTable(hearingOf(before), table)) effects.push({ do: 'set-hearing', members: table });
  const [hadMusic, hasMusic] = [legsWithMusic(before), legsWithMusic(after)];
  for (const leg of hadMusic) {
    if (!hasMusic.includes(leg)) effects.push({ do: 'stop-play', key: musicKey(leg) });
  }
  for (const leg of hasMusic) {
    if (hadMusic.includes(leg)) continue;
    const sound: Sound = { kind: 'hold-music' };
    effects.push({ do: 'play', key: musicKey(leg), to: [leg], sound, loop: true });
  }
  effects.push(...soundChanges(before, after));
  return effects;
}

/** A beep for everybody who is in the conversation: those on hold hear their music, those who wait for the start theirs. */
export function beep(room: Room, key: string, wanted: EdgeSound): readonly RoomAudioEffect[] {
  const to = room.participants.filter((each) => isPresent(each) && !each.hold).map(({ leg }) => leg);
  if (wanted === 'none' || room.status !== 'active' || to.length === 0) return [];
  const sound: Sound = { kind: 'beep', count: wanted === 'beep:1' ? 1 : 2 };
  return [{ do: 'play', key, to, sound, loop: false }];
}

type HearingTable = ReturnType<typeof whoHearsWhom>;

/** What the mix of a room obeys. */
export function hearingOf(room: Room): HearingTable {
  return whoHearsWhom(room.participants.filter(isPresent), room.status === 'active');
}

function legsWithMusic(room: Room): readonly string[] {
  return room.participants
    .filter((each) => isPresent(each) && (each.hold || room.status === 'initialized'))
    .map(({ leg }) => leg);
}

function musicKey(leg: string): string {
  return `music:${leg}`;
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
