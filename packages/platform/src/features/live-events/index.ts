export { createLiveEvents, type LiveEventsFeature } from './live-events.ts';
