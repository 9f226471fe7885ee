export { createSystemClock, type SystemClockOptions } from './system-clock.ts';
