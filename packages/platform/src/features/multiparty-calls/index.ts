export type { JoinedParticipant } from './additions.ts';
export type { JoinInstruction, JoiningParticipant } from './joining-participant.ts';
export {
  createMultipartyCalls,
  type MultipartyCallsDeps,
  type MultipartyCallsFeature,
} from './multiparty-calls.ts';
export type { Room, RoomMember, Rooms } from './rooms.ts';
