/** Bounds the requests of each lane at the same time: those to one host, or those of one account. No lane uses up the slots of others. */
export interface RequestSlots {
  /** False without a free slot; then a later `free` reports slots. */
  take(lane: string): boolean;
  /**
   * Frees a slot; a lane that was silent gets one request at a time until it is answered. Left out, the silence of before holds. Gives
   * how many refused requests may come back, 0 when none was refused. Reported once, until another request is refused or `moreWait`
   * is called.
   */
  free(lane: string, wasSilent?: boolean): number;
  /** Every reported slot has a request again, so more refused requests may wait. */
  moreWait(lane: string): void;
  /** Lanes that are remembered: those with requests, and those that are silent. */
  readonly lanes: number;
}

interface Lane {
  inFlight: number;
  isSilent: boolean;
  someWait: boolean;
}

/** Silent lanes that are kept; beyond this number the oldest is dropped. */
const maxRemembered = 10_000;

export function createRequestSlots(limit: number): RequestSlots {
  const lanes = new Map<string, Lane>();

  return {
    take(name) {
      const lane = lanes.get(name) ?? { inFlight: 0, isSilent: false, someWait: false };
      if (lane.inFlight >= (lane.isSilent ? 1 : limit)) {
        lane.someWait = true;
        return false;
      }
      lane.inFlight++;
      lanes.set(name, lane);
      return true;
    },
    free(name, wasSilent) {
      const lane = lanes.get(name);
      if (lane === undefined) return 0;
      lane.inFlight--;
      lane.isSilent = wasSilent ?? lane.isSilent;
      const freed = lane.someWait ? Math.max(0, (lane.isSilent ? 1 : limit) - lane.inFlight) : 0;
      // Beyond its one slot a silent lane frees none: the refused requests wait for a later end.
      if (freed > 0) lane.someWait = false;
      if (lane.inFlight > 0) return freed;
      lanes.delete(name);
      if (!lane.isSilent) return freed;
      // Inserted again: the order of the map is that of the last request.
      lanes.set(name, lane);
      if (lanes.size > maxRemembered) forgetOne(lanes);
      return freed;
    },
    moreWait(name) {
      const lane = lanes.get(name) ?? { inFlight: 0, isSilent: false, someWait: true };
      lane.someWait = true;
      lanes.set(name, lane);
    },
    get lanes() {
      return lanes.size;
    },
  };
}

function forgetOne(lanes: Map<string, Lane>): void {
  for (const [name, { inFlight, someWait }] of lanes) {
    if (inFlight > 0 || someWait) continue;
    lanes.delete(name);
    return;
  }
}
