export { createRoomStreams, type RoomStreamsDeps, type RoomStreamsFeature } from './room-streams.ts';
