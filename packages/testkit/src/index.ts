export { createRecordingLog, type LogLine } from './recording-log.ts';
export { createVirtualClock, type VirtualClock, type VirtualClockOptions } from './virtual-clock.ts';
