/**
 * Bounds requests at the same time in pools, such as those to one host, and divides each pool among its lanes, such as accounts. A lane
 * gets a slot while it has fewer than `weight` times the free slots: it never uses up a pool, however long its requests take, and several
 * lanes together leave slots free as well.
 */
export interface SharedSlots {
  /** False without a free slot; then a later `free` reports slots for this lane. */
  take(pool: string, lane: string): boolean;
  /**
   * Frees a slot; a lane that was silent gets one request at a time until it is answered. Left out, the silence of before holds. Gives
   * the lanes whose refused requests may come back, and how many. Each is reported once, until another request of it is refused or
   * `moreWait` is called.
   */
  free(pool: string, lane: string, wasSilent?: boolean): readonly FreedSlots[];
  /** Every reported slot has a request again, so more refused requests may wait. */
  moreWait(pool: string, lane: string): void;
  /** Lanes that are remembered: those with requests, those with refused requests, and those that are silent. */
  readonly lanes: number;
}

export interface FreedSlots {
  readonly lane: string;
  readonly slots: number;
}

export interface SharedSlotsLimits {
  /** Of each pool. */
  readonly total: number;
  /** 1 leaves at least half of a pool to others than one lane, 3 a quarter. */
  readonly weight: number;
}

interface Lane {
  readonly name: string;
  readonly pool: Pool;
  inFlight: number;
  isSilent: boolean;
}

interface Pool {
  readonly name: string;
  readonly lanes: Map<string, Lane>;
  /** Lanes with refused requests, the longest wait first. */
  readonly waiting: Set<Lane>;
  used: number;
}

/** Silent lanes that are kept; beyond this number the oldest is dropped. */
const maxRemembered = 10_000;

export function createSharedSlots({ total, weight }: SharedSlotsLimits): SharedSlots {
  const pools = new Map<string, Pool>();
  /** Without requests; the order is that of the last request. */
  const silent = new Set<Lane>();
  let count = 0;

  function laneOf(poolName: string, name: string): Lane {
    const pool = pools.get(poolName) ?? { name: poolName, lanes: new Map(), waiting: new Set(), used: 0 };
    const known = pool.lanes.get(name);
    if (known !== undefined) return known;
    const lane: Lane = { name, pool, inFlight: 0, isSilent: false };
    pools.set(poolName, pool);
    pool.lanes.set(name, lane);
    count++;
    return lane;
  }

  function drop(lane: Lane): void {
    const { lanes, name } = lane.pool;
    lanes.delete(lane.name);
    count--;
    if (lanes.size === 0) pools.delete(name);
  }

  /** Forgets a lane without requests, unless it is silent. */
  function settle(lane: Lane): void {
    if (lane.inFlight > 0 || lane.pool.waiting.has(lane)) return;
    if (!lane.isSilent) {
      drop(lane);
      return;
    }
    silent.delete(lane);
    silent.add(lane);
    if (silent.size <= maxRemembered) return;
    const [oldest] = silent;
    silent.delete(oldest!);
    drop(oldest!);
  }

  /** How many more requests of a lane fit in `free` slots of its pool. */
  function share({ inFlight, isSilent }: Lane, free: number): number {
    if (isSilent) return Math.min(free, 1 - inFlight);
    return Math.ceil((weight * free - inFlight) / (weight + 1));
  }

  return {
    take(poolName, name) {
      const lane = laneOf(poolName, name);
      const { pool } = lane;
      if (share(lane, total - pool.used) <= 0) {
        silent.delete(lane);
        pool.waiting.add(lane);
        return false;
      }
      silent.delete(lane);
      lane.inFlight++;
      pool.used++;
      return true;
    },
    free(poolName, name, wasSilent) {
      const lane = laneOf(poolName, name);
      const { pool } = lane;
      lane.inFlight--;
      pool.used--;
      lane.isSilent = wasSilent ?? lane.isSilent;
      const freed: FreedSlots[] = [];
      let free = total - pool.used;
      for (const waiting of pool.waiting) {
        const slots = share(waiting, free);
        // Beyond its one slot a silent lane frees none: its refused requests wait for a later end.
        if (slots <= 0) continue;
        free -= slots;
        freed.push({ lane: waiting.name, slots });
        pool.waiting.delete(waiting);
        if (waiting !== lane) settle(waiting);
      }
      settle(lane);
      return freed;
    },
    moreWait(poolName, name) {
      const lane = laneOf(poolName, name);
      silent.delete(lane);
      lane.pool.waiting.add(lane);
    },
    get lanes() {
      return count;
    },
  };
}
