import { SlotLists } from './slot-lists.ts';

/** Time and one-shot timers, in milliseconds since the Unix epoch; `startTimer` returns the function that cancels it. */
export interface WheelClock {
  now(): number;
  startTimer(at: number, fire: () => void): () => void;
}

/** A running timer of a wheel; an opaque handle, which cancels it. */
export interface WheelTimer<Owner> {
  readonly owner: Owner;
  readonly key: string;
  readonly tick: number;
  /** Slot in which the timer is linked, or -1 when it has fired or was cancelled. */
  slot: number;
  previous: WheelTimer<Owner> | undefined;
  next: WheelTimer<Owner> | undefined;
  /** Links the timers of one owner, for owners with few: an array would cost two more objects. */
  sibling: WheelTimer<Owner> | undefined;
}

/** Many timers on one clock timer: start, cancel and expiry take constant time. */
export interface TimerWheel<Owner> {
  /** Starts a timer; it fires in the first slot that ends at or after `at`, never early. */
  start(owner: Owner, key: string, at: number): WheelTimer<Owner>;
  /** Stops a timer; ignored when it has fired. */
  cancel(timer: WheelTimer<Owner>): void;
  /** Number of running timers. */
  size(): number;
  /** Drops every timer and the clock timer. */
  close(): void;
}

/** Options of `createTimerWheel`; `slotMs` (10) is the granularity, `slots` (4096, a multiple of 32) one turn of the wheel. */
export interface TimerWheelOptions<Owner> {
  readonly clock: WheelClock;
  readonly fire: (owner: Owner, key: string) => void;
  readonly slotMs?: number;
  readonly slots?: number;
}

/**
 * Hashed timing wheel. 4096 slots of 10 ms cover the 32 s of the longest transaction timers within one turn; a later timer stays
 * in its slot and is checked once per turn. The next occupied slot gives the next clock timer.
 */
export function createTimerWheel<Owner>(options: TimerWheelOptions<Owner>): TimerWheel<Owner> {
  const { clock, fire, slotMs = 10, slots = 4096 } = options;
  const lists = new SlotLists<WheelTimer<Owner>>(slots);
  // Ticks are counted from here: V8 keeps a small whole number in the timer itself, and a larger one in an object.
  const origin = Math.floor(clock.now() / slotMs);
  let size = 0;
  let turned = 0; // the last tick whose slot has been emptied
  let armedTick = Number.POSITIVE_INFINITY;
  let disarm: (() => void) | undefined;
  let isRinging = false;

  function arm(tick: number): void {
    disarm?.();
    armedTick = tick;
    disarm = clock.startTimer((origin + tick) * slotMs, ring);
  }

  function ring(): void {
    disarm = undefined;
    armedTick = Number.POSITIVE_INFINITY;
    const target = presentTick();
    isRinging = true;
    try {
      // After a long pause each slot is visited once at most.
      const lastVisit = Math.min(target, turned + slots);
      for (let tick = lists.nextOccupied(turned); tick <= lastVisit; tick = lists.nextOccupied(tick)) {
        turned = tick;
        empty(tick % slots, target);
      }
      turned = Math.max(turned, target);
    } finally {
      // An exception of an owner ends this round only; the wheel goes on.
      isRinging = false;
      if (size > 0) arm(lists.nextOccupied(turned));
    }
  }

  function empty(slot: number, target: number): void {
    const due: WheelTimer<Owner>[] = [];
    for (let timer = lists.head(slot); timer; timer = timer.next) if (timer.tick <= target) due.push(timer);
    for (const timer of due) {
      // An earlier timer of this slot may have cancelled it.
      if (timer.slot < 0) continue;
      lists.unlink(timer);
      size -= 1;
      fire(timer.owner, timer.key);
    }
  }

  return {
    start(owner, key, at) {
      if (size === 0) turned = Math.max(turned, presentTick());
      const tick = Math.max(Math.ceil(at / slotMs) - origin, turned + 1);
      const timer = unlinked(owner, key, tick);
      lists.link(timer);
      size += 1;
      const visit = Math.min(tick, nextVisit(tick));
      if (!isRinging && visit < armedTick) arm(visit);
      return timer;
    },
    cancel(timer) {
      if (timer.slot < 0) return;
      lists.unlink(timer);
      size -= 1;
      if (size > 0) return;
      disarm?.();
      disarm = undefined;
      armedTick = Number.POSITIVE_INFINITY;
    },
    size: () => size,
    close() {
      disarm?.();
      disarm = undefined;
      armedTick = Number.POSITIVE_INFINITY;
      for (let slot = 0; slot < slots; slot += 1) {
        let timer = lists.head(slot);
        while (timer) {
          const next: WheelTimer<Owner> | undefined = timer.next;
          lists.unlink(timer);
          timer = next;
        }
      }
      size = 0;
    },
  };

  function presentTick(): number {
    return Math.floor(clock.now() / slotMs) - origin;
  }

  /** The next tick that visits the slot of `tick`. */
  function nextVisit(tick: number): number {
    const ahead = (tick - turned) % slots;
    return turned + (ahead === 0 ? slots : ahead);
  }
}

function unlinked<Owner>(owner: Owner, key: string, tick: number): WheelTimer<Owner> {
  return { owner, key, tick, slot: -1, previous: undefined, next: undefined, sibling: undefined };
}
