import type { Clock, Logger, SignallingTrace, TracedMessage } from '@jackfield/ports';
import type { BlackBoxEntry } from '../store.ts';
import type { ActiveTraces } from '../tracing/active-traces.ts';
import { createEntryWriter, type WriterLimits } from './entry-writer.ts';

export interface RecorderLimits extends WriterLimits {
  /** Messages whose call is not known yet, and how long they wait for it. */
  readonly early: number;
  readonly earlyMs: number;
}

export const recorderLimits: RecorderLimits = {
  perCall: 200,
  perTrace: 1_000,
  waiting: 5_000,
  writeEveryMs: 500,
  early: 5_000,
  earlyMs: 60_000,
};

/** RFC 3261 §17.1.1.2: no transaction of a call that has ended lasts longer. */
const lastMessagesMs = 32_000;

export interface RecorderDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: RecorderLimits;
  /** Whether messages and documents of every call are kept. */
  readonly keepsAll: boolean;
  readonly traces: ActiveTraces;
  save(entries: readonly BlackBoxEntry[]): Promise<void>;
}

/** The state of one SIP Call-ID. */
interface Conversation {
  readonly legs: Set<string>;
  /** Until a leg is known. */
  early: BlackBoxEntry[];
}

export interface Recorder {
  readonly trace: SignallingTrace;
  /** Keeps a document of a call, where its documents are kept. */
  keep(call: string, document: () => object): void;
  /** A trace has ended. */
  forget(trace: string): void;
  /** The call is over; its last messages come within half a minute. */
  over(call: string): void;
  /** Resolves when all messages until now can be read. */
  written(): Promise<void>;
  census(): Readonly<Record<string, number>>;
  /** Writes what waits. */
  close(): Promise<void>;
}

/** Finds the calls of SIP messages by their Call-IDs, and gives what happened to a call to the writer. */
export function createRecorder(deps: RecorderDeps): Recorder {
  const { clock, limits, keepsAll, traces } = deps;
  const writer = createEntryWriter(deps);
  const conversations = new Map<string, Conversation>();
  /** Call-IDs of each live call. */
  const callIds = new Map<string, Set<string>>();
  const ends = new Set<() => void>();
  let early = 0;

  function conversationOf(callId: string): Conversation {
    const known = conversations.get(callId);
    if (known !== undefined) return known;
    const begun = { legs: new Set<string>(), early: [] };
    conversations.set(callId, begun);
    after(limits.earlyMs, () => {
      if (conversations.get(callId) !== begun || begun.legs.size > 0) return;
      // Of a refused call, or of a foreign one.
      early -= begun.early.length;
      conversations.delete(callId);
    });
    return begun;
  }

  function after(ms: number, act: () => void): void {
    const end = clock.startTimer(clock.now() + ms, () => {
      ends.delete(end);
      act();
    });
    ends.add(end);
  }

  function message({ callId, ...rest }: TracedMessage): void {
    const at = clock.wallNow();
    let text: string | undefined;
    const entry = () => (text ??= JSON.stringify({ callId, ...rest }));
    for (const call of traces.ofEndpoint({ callId, ...rest }))
      writer.add({ call, kind: 'traced', at, entry: entry() });
    const conversation = keepsAll ? kept(callId, rest.text) : conversations.get(callId);
    for (const call of conversation?.legs ?? [])
      if (keepsAll || traces.isCallTraced(call)) writer.add({ call, kind: 'message', at, entry: entry() });
    if (!keepsAll || conversation?.legs.size !== 0 || early >= limits.early) return;
    conversation.early.push({ call: '', kind: 'message', at, entry: entry() });
    early += 1;
  }

  /** Begins with an INVITE, whose leg is not known yet. */
  function kept(callId: string, text: string): Conversation | undefined {
    const isKept = conversations.has(callId) || (text.startsWith('INVITE ') && early < limits.early);
    return isKept ? conversationOf(callId) : undefined;
  }

  function forget(call: string): void {
    writer.forget(call);
    for (const callId of callIds.get(call) ?? []) {
      const legs = conversations.get(callId)?.legs;
      legs?.delete(call);
      if (legs?.size === 0) conversations.delete(callId);
    }
    callIds.delete(call);
  }

  return {
    trace: {
      get scope() {
        const traced = traces.scope();
        return traced === 'none' && keepsAll ? 'calls' : traced;
      },
      message,
      belongs(callId, leg) {
        const conversation = conversations.get(callId) ?? { legs: new Set<string>(), early: [] };
        conversations.set(callId, conversation);
        conversation.legs.add(leg);
        callIds.set(leg, (callIds.get(leg) ?? new Set()).add(callId));
        for (const entry of conversation.early) writer.add({ ...entry, call: leg });
        early -= conversation.early.length;
        conversation.early = [];
      },
    },
    keep(call, document) {
      if (!keepsAll && !traces.isCallTraced(call)) return;
      writer.add({ call, kind: 'document', at: clock.wallNow(), entry: JSON.stringify(document()) });
    },
    over(call) {
      if (keepsAll || traces.isCallTraced(call)) after(lastMessagesMs, () => forget(call));
      else forget(call);
    },
    forget: writer.forget,
    written: writer.written,
    census: () => ({ waiting: writer.waiting(), conversations: conversations.size, calls: callIds.size }),
    async close() {
      for (const end of ends) end();
      await writer.written();
    },
  };
}
