export { createRoomStreams, type RoomStreamsFeature } from './create-room-streams.ts';
