export {
  createMultipartyCalls,
  type MultipartyCallsFeature,
} from './create-multiparty-calls.ts';
export type { JoiningParticipant } from './rooms/joining-participant.ts';
export type { Room, RoomMember, Rooms } from './rooms/rooms.ts';
