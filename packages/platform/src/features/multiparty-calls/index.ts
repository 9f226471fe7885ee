export type { JoiningParticipant } from './joining-participant.ts';
export {
  createMultipartyCalls,
  type MultipartyCallsFeature,
} from './multiparty-calls.ts';
export type { Room, RoomMember, Rooms } from './rooms.ts';
