/** Interval of the checks for the parent, in ms; a drain may begin that late. No event reports that a parent has ended. */
const lookEveryMs = 250;

/**
 * Calls `onEnd` once the parent process has ended. npm starts programs through a shell, which a signal to npm ends without forwarding it:
 * the program can only notice the end of its parent.
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
