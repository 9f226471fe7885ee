/** Bounds the requests that go to one host at the same time, so that no receiver takes the room of the others. */
export interface HostSlots {
  /** False when there is none; `free` says when those who were turned away may come back. */
  take(host: string): boolean;
  /**
   * Gives it back; a host that was silent gets one request at a time until it answers. Gives how many of those who were
   * turned away may come back, 0 where nobody was; it is said once, until somebody else is turned away or `moreWait` is called.
   */
  free(host: string, wasSilent: boolean): number;
  /** More were turned away than there were places: one of them was given each. */
  moreWait(host: string): void;
  /** Hosts that are remembered: those with requests, and those that are silent. */
  readonly hosts: number;
}

interface Host {
  inFlight: number;
  isSilent: boolean;
  someWait: boolean;
}

/** Silent hosts that are remembered; beyond it the oldest is forgotten, and found out about again. */
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
      const places = host.someWait ? (wasSilent ? 1 : limit) - host.inFlight : 0;
      host.someWait = false;
      if (host.inFlight > 0) return Math.max(0, places);
      hosts.delete(name);
      if (!wasSilent) return places;
      // Behind the others: the order of the map is that of the last request.
      hosts.set(name, host);
      if (hosts.size > maxRemembered) forgetOne(hosts);
      return places;
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
