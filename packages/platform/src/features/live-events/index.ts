export { createBanFeed } from './ban-feed.ts';
export { createLiveEvents } from './live-events.ts';
export { createLoginFeed } from './login-feed.ts';
