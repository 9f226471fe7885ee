import type { MiddleEvent } from './domain/new-stream.ts';

const middleEvents: readonly MiddleEvent[] = [
  'PlayedStream',
  'ClearedAudio',
  'DegradedStream',
  'InterruptedStream',
  'ResumedStream',
];
/** Always sent: naming them changes nothing. */
const ends: readonly string[] = ['StartStream', 'StopStream', 'DroppedStream'];

export const allowedStatusCallbackEvents = `a list of ${middleEvents.join(', ')} separated by commas, or none`;

/** The events between beginning and end that the list names in upper or lower case; undefined where it names an unknown one. */
export function readStatusCallbackEvents(written: string): readonly MiddleEvent[] | undefined {
  const names = written.split(',').map((name) => name.trim().toLowerCase());
  const known = ['', 'none', ...[...middleEvents, ...ends].map((each) => each.toLowerCase())];
  if (!names.every((name) => known.includes(name))) return undefined;
  return middleEvents.filter((event) => names.includes(event.toLowerCase()));
}
