import type { Instant } from '../../../kernel/machine.ts';

/** Bounds the requests that go to one host at the same time, so that no receiver takes the room of the others. */
export interface HostSlots {
  /** Takes a slot, or says when to ask again. */
  take(
    host: string,
    now: Instant,
  ): { readonly taken: true } | { readonly taken: false; readonly at: Instant };
  /** Gives it back; a host that was silent gets one request at a time until it answers. */
  free(host: string, wasSilent: boolean): void;
  /** Hosts that are remembered: those with requests, and those that are silent. */
  readonly hosts: number;
}

interface Host {
  inFlight: number;
  isSilent: boolean;
  /** Since a slot was freed: those who come later are asked to wait longer. */
  turnedAway: number;
}

const stepMs = 100;
const longestMs = 30_000;
/** Silent hosts that are remembered; beyond it the oldest is forgotten, and found out about again. */
const maxRemembered = 10_000;

export function createHostSlots(limit: number): HostSlots {
  const hosts = new Map<string, Host>();

  return {
    take(name, now) {
      const host = hosts.get(name) ?? { inFlight: 0, isSilent: false, turnedAway: 0 };
      if (host.inFlight >= (host.isSilent ? 1 : limit)) {
        host.turnedAway++;
        const share = host.isSilent ? 1 : limit;
        const pause = Math.min(longestMs, stepMs * Math.ceil(host.turnedAway / share));
        return { taken: false, at: now + pause };
      }
      host.inFlight++;
      hosts.set(name, host);
      return { taken: true };
    },
    free(name, wasSilent) {
      const host = hosts.get(name);
      if (host === undefined) return;
      host.inFlight--;
      host.isSilent = wasSilent;
      host.turnedAway = 0;
      if (host.inFlight > 0) return;
      hosts.delete(name);
      if (!wasSilent) return;
      // Behind the others: the order of the map is that of the last request.
      hosts.set(name, host);
      if (hosts.size > maxRemembered) forgetOne(hosts);
    },
    get hosts() {
      return hosts.size;
    },
  };
}

function forgetOne(hosts: Map<string, Host>): void {
  for (const [name, { inFlight }] of hosts) {
    if (inFlight > 0) continue;
    hosts.delete(name);
    return;
  }
}
