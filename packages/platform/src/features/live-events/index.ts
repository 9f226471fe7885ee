export { createLiveEvents, type LiveEventsFeature } from './create-live-events.ts';
export { createBanFeed } from './feeds/ban-feed.ts';
export { createLoginFeed } from './feeds/login-feed.ts';
