export { createLiveSnapshot } from './create-live-snapshot.ts';
