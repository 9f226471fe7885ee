import type { Clock, TracedMessage } from '@jackfield/ports';
import type { SipTraceRow } from './trace-store.ts';

/** The traces that are on in this process. */
export interface ActiveTraces {
  begin(trace: SipTraceRow): void;
  end(id: string): void;
  /** Begins and ends traces until these are on. */
  replace(traces: readonly SipTraceRow[]): void;
  count(account?: string): number;
  /** `all`: requests outside of calls as well. */
  scope(): 'none' | 'calls' | 'all';
  isCallTraced(call: string): boolean;
  /** Traces of endpoints that this message belongs to. */
  ofEndpoint(message: Pick<TracedMessage, 'callId' | 'direction' | 'text'>): readonly string[];
  close(): void;
}

interface Active {
  readonly trace: SipTraceRow;
  /** SIP Call-IDs of the endpoint: a response has other URIs than the request that named it. */
  readonly callIds: Set<string>;
  cancel(): void;
}

/** Of one endpoint; the oldest is dropped first. */
const mostCallIds = 1_000;

/** The user in From and in To; endpoints have letters and digits alone. */
const users = {
  received: /^(?:from|f)[ \t]*:[^\r\n]{0,300}?sips?:([A-Za-z0-9]{1,64})(?::[^@\s>]{0,128})?@/im,
  sent: /^(?:to|t)[ \t]*:[^\r\n]{0,300}?sips?:([A-Za-z0-9]{1,64})(?::[^@\s>]{0,128})?@/im,
};

/**
 * Who a request comes from, or goes to. The other side of a call has a leg of its own, which may be of another account: a request is of
 * the endpoint at the other end of the wire alone.
 */
function endpointOf({ direction, text }: Pick<TracedMessage, 'direction' | 'text'>): string | undefined {
  return text.startsWith('SIP/2.0') ? undefined : users[direction].exec(text)?.[1];
}

export function createActiveTraces(clock: Clock, ended: (id: string) => void): ActiveTraces {
  const active = new Map<string, Active>();
  const calls = new Map<string, number>();
  let endpoints: readonly Active[] = [];

  function changed(): void {
    endpoints = [...active.values()].filter(({ trace }) => trace.username !== null);
  }

  function countCall(call: string | null, by: 1 | -1): void {
    if (call === null) return;
    const count = (calls.get(call) ?? 0) + by;
    if (count === 0) calls.delete(call);
    else calls.set(call, count);
  }

  function begin(trace: SipTraceRow): void {
    const leftMs = trace.ends_at - clock.wallNow();
    if (active.has(trace.trace_id) || leftMs <= 0) return;
    const cancel = clock.startTimer(clock.now() + leftMs, () => end(trace.trace_id));
    active.set(trace.trace_id, { trace, callIds: new Set(), cancel });
    countCall(trace.call_uuid, 1);
    changed();
  }

  function end(id: string): void {
    const found = active.get(id);
    if (found === undefined) return;
    found.cancel();
    active.delete(id);
    countCall(found.trace.call_uuid, -1);
    changed();
    ended(id);
  }

  function names(
    { callIds, trace: { username } }: Active,
    callId: string,
    user: string | undefined,
  ): boolean {
    if (callIds.has(callId)) return true;
    if (user !== username) return false;
    callIds.add(callId);
    const [oldest] = callIds;
    if (callIds.size > mostCallIds && oldest !== undefined) callIds.delete(oldest);
    return true;
  }

  return {
    begin,
    end,
    replace(traces) {
      const ids = new Set(traces.map(({ trace_id: id }) => id));
      for (const id of [...active.keys()].filter((each) => !ids.has(each))) end(id);
      for (const trace of traces) begin(trace);
    },
    count: (account) =>
      account === undefined
        ? active.size
        : [...active.values()].filter(({ trace }) => trace.account === account).length,
    scope: () => (endpoints.length > 0 ? 'all' : calls.size > 0 ? 'calls' : 'none'),
    isCallTraced: (call) => calls.has(call),
    ofEndpoint(message) {
      if (endpoints.length === 0) return [];
      const user = endpointOf(message);
      const found = endpoints.filter((each) => names(each, message.callId, user));
      return found.map(({ trace }) => trace.trace_id);
    },
    close() {
      for (const id of [...active.keys()]) end(id);
    },
  };
}
