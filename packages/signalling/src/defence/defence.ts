import { sourceOf } from '@jackfield/ports';
import type { Flow, SipRequest } from '@jackfield/sip';
import type { Admission } from '../admission/admission.ts';
import { type CallSlots, createCallSlots } from './call-slots.ts';
import {
  createDefenceParts,
  type DefenceCounters,
  type DefenceDeps,
  type DefenceParts,
} from './defence-parts.ts';
import { createLoginWatch } from './login-watch.ts';
import { createRequestRates } from './request-rates.ts';
import { isScanner } from './scanners.ts';

/** Keeps unauthenticated sources within their share. docs/operate/security.md states the promises and the reasons. */
export interface Defence {
  /** Whether messages on this flow are processed; called for each message before it is parsed. */
  receives(flow: Flow): boolean;
  /** Whether a connection from this address is accepted. */
  accepts(remoteAddress: string): boolean;
  /** Whether a request outside of all dialogs is answered. */
  admits(request: SipRequest, flow: Flow): boolean;
  /** Whether the sender on this flow is exempt from all limits. */
  trusts(flow: Flow): boolean;
  /** Wraps an admission: keeps its decisions and counts their outcomes. */
  watch(admission: Admission): Admission;
  /** Whether a sender has authenticated on this flow. */
  knows(flow: string): boolean;
  /** A connection has closed. */
  flowClosed(flow: string): void;
  readonly slots: CallSlots;
  readonly counters: Readonly<DefenceCounters>;
  census(): { readonly bannedSources: number; readonly knownFlows: number };
}

export function createDefence(deps: DefenceDeps): Defence {
  const { clock } = deps;
  const parts = createDefenceParts(deps);
  const { limits, bans, known, counters, proxies, isTrusted } = parts;
  const rates = createRequestRates(parts);

  function isDropped(flow: Flow): boolean {
    // Without bans there is nothing to look up.
    if (bans.size === 0) return false;
    const now = clock.now();
    if (!bans.isBanned(sourceOf(flow.remoteAddress), now) || known.has(flow.id, now)) return false;
    counters.bannedDropped += 1;
    return true;
  }

  return {
    receives: (flow) => !isDropped(flow),
    accepts: (address) => !bans.isBanned(sourceOf(address), clock.now()),
    admits(request, flow) {
      const sender = proxies.senderOf(request, flow);
      if (sender === undefined) {
        counters.unnamedSourcesDropped += 1;
        return false;
      }
      // A proxy sends OPTIONS of its own to check whether this server is alive.
      if (isTrusted(sender.remoteAddress) || proxies.isProxy(sender.remoteAddress)) return true;
      if (sender !== flow && isDropped(sender)) return false;
      if (isScanner(request)) {
        counters.scannersDropped += 1;
        banScanner(parts, sender);
        return false;
      }
      const isFree = rates.take(request, sender, sender === flow);
      if (!isFree) counters.rateLimited += 1;
      return isFree;
    },
    trusts: ({ remoteAddress }) => isTrusted(remoteAddress),
    watch: createLoginWatch(parts, deps.failed),
    knows: (flow) => known.has(flow, clock.now()),
    flowClosed: (flow) => known.remove(flow),
    slots: countedSlots(createCallSlots(limits), parts),
    counters,
    census: () => ({ bannedSources: bans.size, knownFlows: known.size }),
  };
}

function banScanner({ bans, clock, isNeverBanned, reportBan }: DefenceParts, flow: Flow): void {
  const source = sourceOf(flow.remoteAddress);
  // Over UDP the sender may have forged the address of another source.
  if (!flow.reliable || isNeverBanned(flow.remoteAddress)) return;
  if (bans.ban(source, clock.now())) reportBan(source, 'scanner');
}

/** Trusted sources are not limited, and calls of external callers are counted. */
function countedSlots(slots: CallSlots, { isTrusted, counters }: DefenceParts): CallSlots {
  return {
    take(address, account, isExternal = false) {
      const source = address === undefined || isTrusted(address) ? undefined : sourceOf(address);
      const free = slots.take(source, account, isExternal);
      if (isExternal) counters[free === undefined ? 'externalCallsRefused' : 'externalCalls'] += 1;
      return free;
    },
    get taken() {
      return slots.taken;
    },
  };
}
