import type { Room } from './rooms.ts';

/** Features that follow multiparty calls; each registers once, when it is created. */
export interface RoomChanges {
  /** Calls the listener after each commit that changed the participants or the status of a call. */
  follow(listener: (room: Room) => void): void;
  report(room: Room): void;
}

export function createRoomChanges(): RoomChanges {
  const listeners: ((room: Room) => void)[] = [];
  return {
    follow(listener) {
      listeners.push(listener);
    },
    report(room) {
      for (const listener of listeners) listener(room);
    },
  };
}
