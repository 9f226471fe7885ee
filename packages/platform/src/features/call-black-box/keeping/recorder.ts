import type { Clock, Logger, SignallingTrace, TracedMessage } from '@jackfield/ports';
import type { BlackBoxEntry } from '../store.ts';
import type { ActiveTraces } from '../tracing/active-traces.ts';
import { type ConversationLimits, createConversations } from './conversations.ts';
import { createEntryWriter, type WriterLimits } from './entry-writer.ts';

export interface RecorderLimits extends WriterLimits, ConversationLimits {}

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
  const conversations = createConversations(clock, limits);
  const ends = new Set<() => void>();

  function message({ callId, ...rest }: TracedMessage): void {
    const at = clock.wallNow();
    let text: string | undefined;
    const entry = () => (text ??= JSON.stringify({ callId, ...rest }));
    for (const call of traces.ofEndpoint({ callId, ...rest }))
      writer.add({ call, kind: 'traced', at, entry: entry() });
    // An INVITE comes before its leg is known.
    if (keepsAll && rest.text.startsWith('INVITE ')) conversations.begin(callId);
    const calls = conversations.callsOf(callId);
    for (const call of calls ?? [])
      if (keepsAll || traces.isCallTraced(call)) writer.add({ call, kind: 'message', at, entry: entry() });
    if (keepsAll && calls?.size === 0)
      conversations.keepEarly(callId, () => ({ call: '', kind: 'message', at, entry: entry() }));
  }

  function forget(call: string): void {
    writer.forget(call);
    conversations.forget(call);
  }

  function forgetLater(call: string): void {
    const end = clock.startTimer(clock.now() + lastMessagesMs, () => {
      ends.delete(end);
      forget(call);
    });
    ends.add(end);
  }

  return {
    trace: {
      get scope() {
        const traced = traces.scope();
        return traced === 'none' && keepsAll ? 'calls' : traced;
      },
      message,
      belongs(callId, leg) {
        for (const entry of conversations.belongs(callId, leg)) writer.add({ ...entry, call: leg });
      },
    },
    keep(call, document) {
      if (!keepsAll && !traces.isCallTraced(call)) return;
      writer.add({ call, kind: 'document', at: clock.wallNow(), entry: JSON.stringify(document()) });
    },
    over(call) {
      if (keepsAll || traces.isCallTraced(call)) forgetLater(call);
      else forget(call);
    },
    forget: writer.forget,
    written: writer.written,
    census: () => ({ waiting: writer.waiting(), ...conversations.census() }),
    async close() {
      for (const end of ends) end();
      conversations.close();
      await writer.written();
    },
  };
}
