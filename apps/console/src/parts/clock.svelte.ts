import { serverNow } from '../api/server-clock.ts';

let now = $state(serverNow());
let readers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** The time of the server, once a second while a part of the screen shows it. Call it in an effect. */
export function followClock(): () => void {
  readers += 1;
  now = serverNow();
  timer ??= setInterval(() => {
    if (!document.hidden) now = serverNow();
  }, 1000);
  return () => {
    readers -= 1;
    if (readers > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export const clock = {
  get now(): number {
    return now;
  },
};
