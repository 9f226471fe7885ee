import type { Instant } from '@jackfield/ports';

/** Another incarnation that has not ended, as its row shows it. */
export interface PeerHeartbeat {
  readonly incarnation: number;
  /** Counted by its owner every two seconds. */
  readonly beat: number;
}

interface WatchedPeer {
  readonly beat: number;
  /** How long the count has stood still, in time of this process. */
  readonly silentMs: number;
  /** It has answered once: before, it may be about to start. */
  readonly hasAnswered: boolean;
}

/** The heartbeats of other processes as this process last read them. */
export interface NodeWatchState {
  readonly lookedAt: Instant | undefined;
  readonly peers: ReadonlyMap<number, WatchedPeer>;
}

export type NodeWatchInput =
  /** Read at any time. */
  | { readonly type: 'met'; readonly peers: readonly PeerHeartbeat[] }
  /** Read after a heartbeat of this process was written: so a database that is away accuses no node. */
  | { readonly type: 'looked'; readonly peers: readonly PeerHeartbeat[] }
  /** It is there. */
  | { readonly type: 'answered'; readonly incarnation: number }
  /** The bus has no receiver for messages to this incarnation. */
  | { readonly type: 'no-receiver'; readonly incarnation: number };

export type NodeWatchEffect =
  /** Asks the node over the bus whether it is there. */
  | { readonly do: 'ask'; readonly incarnation: number }
  /** Ends the incarnation, unless it has counted beyond `beat`. */
  | { readonly do: 'end'; readonly incarnation: number; readonly beat: number };

export interface NodeWatchStep {
  readonly state: NodeWatchState;
  readonly effects: readonly NodeWatchEffect[];
}

/** Five heartbeats: a process that hangs or is cut off from the database. */
const deadMs = 10_000;
/** Two heartbeats: with the connection to the bus gone too, the process has been killed. */
const suspectMs = 4_000;
/** A process that was stopped itself must not count that time. */
const longestStepMs = 3_000;

export const firstWatch: NodeWatchState = { lookedAt: undefined, peers: new Map() };

/** Compares the counts of other processes over this process' own time; no clocks of two machines are compared. */
export function stepNodeWatch(state: NodeWatchState, input: NodeWatchInput, now: Instant): NodeWatchStep {
  switch (input.type) {
    case 'met':
      return met(state, input.peers);
    case 'looked':
      return looked(state, input.peers, now);
    case 'answered':
      return { state: withAnswer(state, input.incarnation), effects: [] };
    case 'no-receiver':
      return { state, effects: endOfUnreachable(state, input.incarnation) };
  }
}

function met(state: NodeWatchState, rows: readonly PeerHeartbeat[]): NodeWatchStep {
  const fresh = rows.filter(({ incarnation }) => !state.peers.has(incarnation));
  const peers = new Map(state.peers);
  for (const { incarnation, beat } of fresh)
    peers.set(incarnation, { beat, silentMs: 0, hasAnswered: false });
  const effects = fresh.map(({ incarnation }) => ({ do: 'ask', incarnation }) as const);
  return { state: { ...state, peers }, effects };
}

function looked(
  { lookedAt, peers: known }: NodeWatchState,
  rows: readonly PeerHeartbeat[],
  now: Instant,
): NodeWatchStep {
  const passedMs = lookedAt === undefined ? 0 : Math.min(longestStepMs, now - lookedAt);
  const peers = new Map<number, WatchedPeer>();
  const effects: NodeWatchEffect[] = [];
  for (const { incarnation, beat } of rows) {
    const last = known.get(incarnation);
    const silentMs = last === undefined || last.beat !== beat ? 0 : last.silentMs + passedMs;
    const hasAnswered = last?.hasAnswered ?? false;
    peers.set(incarnation, { beat, silentMs, hasAnswered });
    if (silentMs >= deadMs) effects.push({ do: 'end', incarnation, beat });
    else if (silentMs >= suspectMs || !hasAnswered) effects.push({ do: 'ask', incarnation });
  }
  return { state: { lookedAt: now, peers }, effects };
}

function withAnswer(state: NodeWatchState, incarnation: number): NodeWatchState {
  const peer = state.peers.get(incarnation);
  if (peer === undefined || peer.hasAnswered) return state;
  return { ...state, peers: new Map(state.peers).set(incarnation, { ...peer, hasAnswered: true }) };
}

/** A node that has not been on the bus yet is starting, which takes longer on a slow machine. */
function endOfUnreachable({ peers }: NodeWatchState, incarnation: number): readonly NodeWatchEffect[] {
  const peer = peers.get(incarnation);
  if (peer === undefined || !peer.hasAnswered || peer.silentMs < suspectMs) return [];
  return [{ do: 'end', incarnation, beat: peer.beat }];
}
