export { createLiveEvents, type LiveEventsFeature } from './create-live-events.ts';
export { createBanReports } from './reports/ban-reports.ts';
export { createLoginReports } from './reports/login-reports.ts';
export type { LiveEventsLimits } from './streams/open-streams.ts';
