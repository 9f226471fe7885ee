export { createBanFeed } from './ban-feed.ts';
export { createLiveEvents, type LiveEventsFeature } from './live-events.ts';
export { createLoginFeed } from './login-feed.ts';
