export { createRoomStreams, type RoomStreamsFeature } from './room-streams.ts';
