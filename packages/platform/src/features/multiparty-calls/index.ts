export { createMultipartyCalls } from './create-multiparty-calls.ts';
export type { Room, RoomMember, Rooms } from './rooms/rooms.ts';
