import type { Clock } from '@jackfield/ports';
import type { BlackBoxEntry } from '../store.ts';

export interface ConversationLimits {
  /** Messages whose call is not known yet, and how long they wait for it. */
  readonly early: number;
  readonly earlyMs: number;
}

/** The state of one SIP Call-ID. */
interface Conversation {
  readonly calls: Set<string>;
  /** Until a call is known. */
  early: BlackBoxEntry[];
}

/** The calls of each SIP Call-ID, and the messages that came before their call was known. */
export interface Conversations {
  /** Begins a conversation whose call is not known yet, unless too many messages wait for theirs. */
  begin(callId: string): void;
  /** Undefined for an unknown Call-ID. */
  callsOf(callId: string): ReadonlySet<string> | undefined;
  /** Keeps a message of a begun conversation until its call is known, unless too many wait. */
  keepEarly(callId: string, entry: () => BlackBoxEntry): void;
  /** The call of a conversation is known: returns the messages that waited for it. */
  belongs(callId: string, call: string): readonly BlackBoxEntry[];
  forget(call: string): void;
  census(): { readonly conversations: number; readonly calls: number };
  close(): void;
}

export function createConversations(clock: Clock, limits: ConversationLimits): Conversations {
  const conversations = new Map<string, Conversation>();
  /** Call-IDs of each live call. */
  const callIds = new Map<string, Set<string>>();
  const ends = new Set<() => void>();
  let early = 0;

  function conversationOf(callId: string): Conversation {
    const known = conversations.get(callId) ?? { calls: new Set<string>(), early: [] };
    conversations.set(callId, known);
    return known;
  }

  /** The conversation of a refused or a foreign call. */
  function giveUp(callId: string, begun: Conversation): void {
    if (conversations.get(callId) !== begun || begun.calls.size > 0) return;
    early -= begun.early.length;
    conversations.delete(callId);
  }

  return {
    begin(callId) {
      if (conversations.has(callId) || early >= limits.early) return;
      const begun = conversationOf(callId);
      const end = clock.startTimer(clock.now() + limits.earlyMs, () => {
        ends.delete(end);
        giveUp(callId, begun);
      });
      ends.add(end);
    },
    callsOf: (callId) => conversations.get(callId)?.calls,
    keepEarly(callId, entry) {
      const conversation = conversations.get(callId);
      if (conversation === undefined || early >= limits.early) return;
      conversation.early.push(entry());
      early += 1;
    },
    belongs(callId, call) {
      const conversation = conversationOf(callId);
      conversation.calls.add(call);
      callIds.set(call, (callIds.get(call) ?? new Set()).add(callId));
      const waited = conversation.early;
      early -= waited.length;
      conversation.early = [];
      return waited;
    },
    forget(call) {
      for (const callId of callIds.get(call) ?? []) {
        const calls = conversations.get(callId)?.calls;
        calls?.delete(call);
        if (calls?.size === 0) conversations.delete(callId);
      }
      callIds.delete(call);
    },
    census: () => ({ conversations: conversations.size, calls: callIds.size }),
    close() {
      for (const end of ends) end();
    },
  };
}
