import type { Clock } from '@jackfield/ports';

export type Incarnation = ReturnType<typeof incarnationOn>;

/** Everything that a process holds outside: its timers and its ports. */
export function incarnationOn(clock: Clock) {
  const timers = new Set<() => void>();
  const endings: (() => void)[] = [];
  let isOn = true;
  // Like every process it counts from the wall clock at its start.
  const aheadMs = clock.wallNow() - clock.now();
  const lived: Clock = {
    now: () => clock.now() + aheadMs,
    wallNow: () => clock.wallNow(),
    startTimer(at, fire) {
      if (!isOn) return () => {};
      const stop = clock.startTimer(at - aheadMs, () => {
        timers.delete(cancel);
        fire();
      });
      const cancel = () => {
        timers.delete(cancel);
        stop();
      };
      timers.add(cancel);
      return cancel;
    },
  };
  return {
    clock: lived,
    isOn: () => isOn,
    atEnd: (end: () => void) => endings.push(end),
    end() {
      isOn = false;
      for (const cancel of [...timers]) cancel();
      for (const end of endings.splice(0)) end();
    },
  };
}
