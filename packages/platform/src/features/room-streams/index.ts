export { createRoomStreams } from './create-room-streams.ts';
