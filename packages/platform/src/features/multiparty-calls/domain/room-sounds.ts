import { whoHearsWhom } from './hearing.ts';
import type { MultipartyCall, MusicSettings, Room, RoomSoundEffect } from './multiparty-call.ts';
import { type Callback, isCalled, isPresent, type Participant } from './participant.ts';
import type { RoomAudioEffect } from './room-audio-effect.ts';
import { sourceItem } from './room-plays.ts';

type SoundEffect = RoomSoundEffect | Extract<RoomAudioEffect, { readonly do: 'play' | 'stop-play' }>;

/** A sound that lasts as long as the state, under a key of its listener. */
type LastingSound =
  | { readonly kind: 'built-in'; readonly leg: string; readonly sound: 'ringback' | 'hold-music' }
  | { readonly kind: 'url'; readonly leg: string; readonly source: Callback; readonly alone: boolean };

/** Orders that take music and the sounds of adding from one state of the call to the next. */
export function soundChanges(
  before: Room,
  after: Room & Pick<MultipartyCall, 'account' | 'mainAccount'>,
): readonly SoundEffect[] {
  const [had, has] = [lastingSounds(before), lastingSounds(after)];
  const stops = [...had].flatMap(([key, sound]) => (isSame(sound, has.get(key)) ? [] : [stop(key, sound)]));
  const starts = [...has].flatMap(([key, sound]) =>
    isSame(sound, had.get(key)) ? [] : [start(key, sound, after)],
  );
  return [...stops, ...starts];
}

function lastingSounds(room: Room): ReadonlyMap<string, LastingSound> {
  const sounds = new Map<string, LastingSound>();
  if (room.status === 'ended') return sounds;
  for (const { leg, phase, confirmation } of room.participants) {
    if (phase !== 'confirming' || confirmation?.sound == null) continue;
    sounds.set(`confirm:${leg}`, { kind: 'url', leg, source: confirmation.sound, alone: true });
  }
  for (const participant of room.participants) {
    if (!isPresent(participant) || (room.status === 'active' && !participant.hold)) continue;
    const { leg } = participant;
    const source = musicFor(participant, room.music);
    sounds.set(
      `music:${leg}`,
      source === null
        ? { kind: 'built-in', leg, sound: 'hold-music' }
        : { kind: 'url', leg, source, alone: false },
    );
  }
  const music = dialMusicOf(room);
  if (music === undefined) return sounds;
  for (const leg of legsInSilence(room)) {
    if (music === 'ringback') sounds.set(`dial:${leg}`, { kind: 'built-in', leg, sound: music });
    else sounds.set(`dial:${leg}`, { kind: 'url', leg, source: music, alone: false });
  }
  return sounds;
}

/** Hold comes before waiting for the start. */
function musicFor({ hold, role }: Participant, music: MusicSettings): Callback | null {
  if (!hold) return music.wait;
  return role === 'customer' ? music.customerHold : music.agentHold;
}

/** From the first called participant with a sound: music from the first moment, ringback once it rings. */
function dialMusicOf(room: Room): 'ringback' | Callback | undefined {
  for (const each of room.participants) {
    if (each.origin !== 'dialled' || !isBeingCalled(each) || each.dialMusic === 'none') continue;
    if (each.dialMusic !== 'real') return { url: each.dialMusic.url, method: 'GET' };
    if (each.phase !== 'dialling') return 'ringback';
  }
  return undefined;
}

function isBeingCalled(participant: Participant): boolean {
  return isCalled(participant) || participant.phase === 'confirming';
}

/** Members of the conversation who hear no other member, so the sound does not cover a voice. */
function legsInSilence(room: Room): readonly string[] {
  if (room.status !== 'active') return [];
  const present = room.participants.filter(isPresent);
  const held = new Set(present.filter(({ hold }) => hold).map(({ leg }) => leg));
  return whoHearsWhom(present, true)
    .filter(({ leg, hears }) => hears.length === 0 && !held.has(leg))
    .map(({ leg }) => leg);
}

function isSame(left: LastingSound, right: LastingSound | undefined): boolean {
  if (left.kind !== right?.kind || left.leg !== right.leg) return false;
  if (left.kind === 'built-in') return right.kind === 'built-in' && left.sound === right.sound;
  if (right.kind === 'built-in') return false;
  return left.source.url === right.source.url && left.source.method === right.source.method;
}

function start(
  key: string,
  sound: LastingSound,
  { account, mainAccount }: Pick<MultipartyCall, 'account' | 'mainAccount'>,
): SoundEffect {
  const to = [sound.leg];
  if (sound.kind === 'built-in') return { do: 'play', key, to, sound: { kind: sound.sound }, loop: true };
  const { source, alone } = sound;
  return { do: 'start-sound', key, account, mainAccount, to, items: [sourceItem(source)], loop: 0, alone };
}

function stop(key: string, sound: LastingSound): SoundEffect {
  return sound.kind === 'built-in' ? { do: 'stop-play', key } : { do: 'stop-sound', key };
}
