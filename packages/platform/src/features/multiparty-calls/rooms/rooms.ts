import { accepted, type Result, refused } from '../../../kernel/result.ts';
import type { Sessions } from '../../../kernel/session-runner.ts';
import { readCallReference } from '../domain/call-reference.ts';
import type { MultipartyCall } from '../domain/multiparty-call.ts';
import { isPresent, type Role } from '../domain/participant.ts';
import type { RoomInput } from '../domain/room-step.ts';
import type { MultipartyCallQueries, Viewer } from '../queries.ts';
import { hasEnded, noSuchCall } from '../refusals.ts';

/** A multiparty call as streams see it, which listen and speak without being participants. */
export interface Room {
  readonly uuid: string;
  readonly name: string;
  readonly account: string;
  readonly mainAccount: string;
  readonly isEnded: boolean;
  /** The participants present, in the order of adding. */
  readonly members: readonly RoomMember[];
}

export interface RoomMember {
  readonly memberId: number;
  readonly leg: string;
  readonly role: Role;
  readonly from: string;
  readonly to: string;
  /** The conversation has begun, and it is neither muted nor on hold. */
  readonly isHeard: boolean;
  /** The conversation has begun, and it is not on hold. */
  readonly isListening: boolean;
}

/** Multiparty calls for other features. Names of calls are read as in paths. */
export interface Rooms {
  find(viewer: Viewer, text: string): Promise<Result<Room>>;
  /** UUID of a live or an ended call. */
  uuidOf(viewer: Viewer, text: string): Promise<Result<string>>;
  peek(uuid: string): Room | undefined;
  /** Calls the listener after each commit that changed the participants or the status of a call. */
  follow(listener: (room: Room) => void): void;
}

export function createRooms(
  sessions: Pick<Sessions<MultipartyCall, RoomInput>, 'peek'>,
  queries: MultipartyCallQueries,
  follow: Rooms['follow'],
): Rooms {
  const peek = (uuid: string): Room | undefined => {
    const call = sessions.peek(uuid);
    return call === undefined ? undefined : roomOf(call);
  };

  async function uuidOf(viewer: Viewer, text: string): Promise<Result<string>> {
    const reference = readCallReference(text);
    const row = await queries.find(viewer, reference);
    return row === undefined ? refused(noSuchCall(reference)) : accepted(row.mpc_uuid);
  }

  return {
    uuidOf,
    peek,
    follow,
    async find(viewer, text) {
      const uuid = await uuidOf(viewer, text);
      if (!uuid.ok) return uuid;
      const room = peek(uuid.value);
      return room === undefined || room.isEnded ? refused(hasEnded(uuid.value)) : accepted(room);
    },
  };
}

export function roomOf({ uuid, name, account, mainAccount, status, participants }: MultipartyCall): Room {
  return {
    uuid,
    name,
    account,
    mainAccount,
    isEnded: status === 'ended',
    members: participants.filter(isPresent).map(({ memberId, leg, role, spec, mute, hold }) => ({
      memberId,
      leg,
      role,
      from: spec.from,
      to: spec.to,
      isHeard: status === 'active' && !mute && !hold,
      isListening: status === 'active' && !hold,
    })),
  };
}
