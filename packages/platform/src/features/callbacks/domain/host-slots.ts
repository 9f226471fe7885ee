/** Bounds the requests to one host at the same time, so that no receiver uses up the slots of others. */
export interface HostSlots {
  /** False without a free slot; then a later `free` reports slots. */
  take(host: string): boolean;
  /**
   * Frees a slot; a host that was silent gets one request at a time until it answers. Gives how many refused requests may come
   * back, 0 when none was refused. Reported once, until another request is refused or `moreWait` is called.
   */
  free(host: string, wasSilent: boolean): number;
  /** Every reported slot has a request again, so more refused requests may wait. */
  moreWait(host: string): void;
  /** Hosts that are remembered: those with requests, and those that are silent. */
  readonly hosts: number;
}

interface Host {
  inFlight: number;
  isSilent: boolean;
  someWait: boolean;
}

/** Silent hosts that are kept; beyond this number the oldest is dropped. */
const maxRemembered = 10_000;

export function createHostSlots(limit: number): HostSlots {
  const hosts = new Map<string, Host>();

  return {
    take(name) {
      const host = hosts.get(name) ?? { inFlight: 0, isSilent: false, someWait: false };
      if (host.inFlight >= (host.isSilent ? 1 : limit)) {
        host.someWait = true;
        return false;
      }
      host.inFlight++;
      hosts.set(name, host);
      return true;
    },
    free(name, wasSilent) {
      const host = hosts.get(name);
      if (host === undefined) return 0;
      host.inFlight--;
      host.isSilent = wasSilent;
      const freed = host.someWait ? Math.max(0, (wasSilent ? 1 : limit) - host.inFlight) : 0;
      // Beyond its one slot a silent host frees none: the refused requests wait for a later end.
      if (freed > 0) host.someWait = false;
      if (host.inFlight > 0) return freed;
      hosts.delete(name);
      if (!wasSilent) return freed;
      // Inserted again: the order of the map is that of the last request.
      hosts.set(name, host);
      if (hosts.size > maxRemembered) forgetOne(hosts);
      return freed;
    },
    moreWait(name) {
      const host = hosts.get(name) ?? { inFlight: 0, isSilent: false, someWait: true };
      host.someWait = true;
      hosts.set(name, host);
    },
    get hosts() {
      return hosts.size;
    },
  };
}

function forgetOne(hosts: Map<string, Host>): void {
  for (const [name, { inFlight, someWait }] of hosts) {
    if (inFlight > 0 || someWait) continue;
    hosts.delete(name);
    return;
  }
}
