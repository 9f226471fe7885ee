import { accepted, type Result, refused } from '../../../kernel/result.ts';
import type { Sessions } from '../../../kernel/session-runner.ts';
import { readCallReference } from '../domain/call-reference.ts';
import type { MultipartyCall } from '../domain/multiparty-call.ts';
import { isPresent, type Role } from '../domain/participant.ts';
import type { RoomInput } from '../domain/room-step.ts';
import type { MultipartyCallQueries, Viewer } from '../queries.ts';
import { hasEnded, noSuchCall } from '../refusals.ts';

/** A live multiparty call as those see it who listen to it or speak into it without being in it. */
export interface Room {
  readonly uuid: string;
  readonly name: string;
  readonly account: string;
  readonly mainAccount: string;
  readonly isEnded: boolean;
  /** Those present, in the order in which they were added. */
  readonly members: readonly RoomMember[];
}

export interface RoomMember {
  readonly memberId: number;
  readonly leg: string;
  readonly role: Role;
  readonly from: string;
  readonly to: string;
  /** The conversation has begun, and nobody has muted it or put it on hold. */
  readonly isHeard: boolean;
  /** The conversation has begun, and it is not on hold. */
  readonly isListening: boolean;
}

/** The door for those. Names of calls are read as in paths. */
export interface Rooms {
  find(viewer: Viewer, text: string): Promise<Result<Room>>;
  /** UUID of a call that lives, or of one that has ended. */
  uuidOf(viewer: Viewer, text: string): Promise<Result<string>>;
  peek(uuid: string): Room | undefined;
}

export function createRooms(
  sessions: Pick<Sessions<MultipartyCall, RoomInput>, 'peek'>,
  queries: MultipartyCallQueries,
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
