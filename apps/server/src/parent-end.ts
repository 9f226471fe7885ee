/** How often the parent is looked at, in ms: a drain may begin that late. No event tells that a parent has ended. */
const lookEveryMs = 250;

/**
 * Calls `onEnd` once the process that started this one has ended. npm starts programs through a shell, which a signal to npm ends
 * without passing it on: the parent's end is all that the program learns of it.
 */
export function onParentEnd(onEnd: () => void, everyMs = lookEveryMs): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onEnd();
  }, everyMs);
  timer.unref();
}
