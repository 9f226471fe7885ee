import type { PlayOrder, Sounds } from '../../sounds/index.ts';
import type { MultipartyCallInput, RoomSoundEffect } from '../domain/multiparty-call.ts';
import { isKeyOfPlay } from '../domain/room-plays.ts';

export interface RoomSoundsDeps {
  readonly sounds: Sounds;
  readonly newUuid: () => string;
  /** Plays of multiparty calls are owned under this name; the owner's id is the call's UUID. */
  readonly ownerKind: string;
  /** Sends to the session of a call, if it still lives. */
  readonly send: (call: string, input: Extract<MultipartyCallInput, { readonly type: 'sound-over' }>) => void;
}

export interface RoomSounds {
  start(call: string, order: Extract<RoomSoundEffect, { readonly do: 'start-sound' }>): void;
  /** Does nothing for a sound that is over. */
  stop(call: string, key: string): void;
}

/** Sounds from URLs in a multiparty call. The call uses its own keys; the sounds feature uses the names of plays. */
export function createRoomSounds({ sounds, newUuid, ownerKind, send }: RoomSoundsDeps): RoomSounds {
  /** By call and key. */
  const plays = new Map<string, string>();
  /** By the name of the play. */
  const keys = new Map<string, string>();

  sounds.ownedBy(ownerKind, (call, notice) => {
    if (notice.type !== 'play-over') return;
    const key = keys.get(notice.play);
    keys.delete(notice.play);
    if (key === undefined || plays.get(key) !== notice.play) return;
    plays.delete(key);
    const own = key.slice(call.length + 1);
    if (isKeyOfPlay(own)) send(call, { type: 'sound-over', key: own, hasFailed: notice.problems.length > 0 });
  });

  return {
    start(call, { do: _, key, partOf, ...sound }) {
      const play = newUuid();
      const order: PlayOrder = {
        play,
        owner: { kind: ownerKind, id: call },
        ...sound,
        ...(partOf === undefined ? {} : { partOf: { ...partOf, play: `${call}/${partOf.play}` } }),
      };
      plays.set(`${call}/${key}`, play);
      keys.set(play, `${call}/${key}`);
      sounds.play(order);
    },
    stop(call, key) {
      const play = plays.get(`${call}/${key}`);
      plays.delete(`${call}/${key}`);
      if (play !== undefined) sounds.stop(play);
    },
  };
}
