import { BusError, type Clock, type Database, type Logger, type Metrics } from '@jackfield/ports';
import { type EndedIncarnation, type Incarnation, tokenOf } from './incarnation.ts';
import { type UnsettledIncarnation, unsettledIncarnations } from './incarnation-store.ts';
import type { NodeMessages } from './node-messages.ts';
import { firstWatch, type NodeWatchEffect, type NodeWatchInput, stepNodeWatch } from './node-watch.ts';
import { createRepeatedWork } from './repeated-work.ts';

/** This node as a possible successor of the others. */
export interface Successor {
  /** Whether this is the token of another node that runs, as far as this node knows. */
  isAlive(token: string): boolean;
  /** The other nodes that run. */
  readonly others: number;
  /** Resolves when nothing of another node is being ended. */
  close(): Promise<void>;
}

export interface SuccessorDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly database: Pick<Database, 'read'>;
  readonly metrics: Pick<Metrics, 'count'>;
  readonly incarnation: Pick<Incarnation, 'number' | 'onHeartbeat' | 'succeed' | 'settled'>;
  readonly messages: Pick<NodeMessages, 'request' | 'serve' | 'notify' | 'listen'>;
  /** Ends or takes over all that lived in an incarnation. */
  readonly endThings: (ended: EndedIncarnation) => Promise<void>;
}

/** Asks a node whether it is there. */
const asked = 'alive';
/** A node has started or ended another one. */
const changed = 'nodes';
const deadlineMs = 1_000;

/** Watches the heartbeats of the other nodes, ends those that are dead, and takes over what they have left. */
export function createSuccessor(deps: SuccessorDeps): Successor {
  const { clock, log, database, metrics, incarnation, messages, endThings } = deps;
  let watch = firstWatch;
  let alive: ReadonlySet<string> = new Set();
  let isClosed = false;
  /** As the last heartbeat of this process has read them. */
  let unsettled: readonly UnsettledIncarnation[] = [];

  /** The other nodes that run. */
  function know(rows: readonly UnsettledIncarnation[]): readonly UnsettledIncarnation[] {
    const others = rows.filter((row) => row.endedBy === undefined && row.incarnation !== incarnation.number);
    alive = new Set(others.map((row) => tokenOf(row.incarnation)));
    return others;
  }

  async function read(): Promise<void> {
    const peers = know(await unsettledIncarnations(database.read));
    for (const effect of step({ type: 'met', peers })) if (!isClosed) await perform(effect);
  }

  function step(input: NodeWatchInput): readonly NodeWatchEffect[] {
    const { state, effects } = stepNodeWatch(watch, input, clock.now());
    watch = state;
    return effects;
  }

  async function perform(effect: NodeWatchEffect): Promise<void> {
    const { incarnation: other } = effect;
    if (effect.do === 'end') return take({ incarnation: other, seen: { beat: effect.beat } });
    const outcome = await askedOver(messages, other);
    if (outcome === 'no-answer') return;
    for (const next of step({ type: outcome, incarnation: other })) if (!isClosed) await perform(next);
  }

  async function take(other: Parameters<Incarnation['succeed']>[0]): Promise<void> {
    const ended = await incarnation.succeed(other);
    if (ended === undefined) return;
    const node = ended.token;
    // A node that hangs is still on the bus: the BYEs of its dialogs must not go through its connections.
    alive = new Set([...alive].filter((each) => each !== node));
    if ('beat' in other.seen) {
      log.warn({ node }, 'node gives no sign of life: this node has ended it');
      metrics.count('jackfield_nodes_ended_total');
    }
    messages.notify(changed, new Uint8Array());
    await endThings(ended);
    await incarnation.settled(ended);
    log.info({ node }, 'all that the ended node has left is ended or taken over');
  }

  /** Of nodes that have stopped, or whose successor has ended before it had settled their things. */
  function abandoned(rows: readonly UnsettledIncarnation[]) {
    return rows.flatMap(({ incarnation: other, endedBy }) =>
      endedBy === undefined || alive.has(tokenOf(endedBy)) ? [] : [{ incarnation: other, seen: { endedBy } }],
    );
  }

  const looks = createRepeatedWork(async () => {
    const rows = unsettled;
    for (const effect of step({ type: 'looked', peers: know(rows) })) if (!isClosed) await perform(effect);
    for (const other of abandoned(rows)) if (!isClosed) await take(other);
  });

  function failed(err: unknown): void {
    log.error(
      { err },
      'what another node has left could not be taken over; retried after the next heartbeat',
    );
  }

  messages.serve(asked, async () => new Uint8Array());
  messages.listen(changed, () => {
    read().catch(failed);
  });
  incarnation.onHeartbeat((rows) => {
    unsettled = rows;
    if (!isClosed) looks.run().catch(failed);
  });
  messages.notify(changed, new Uint8Array());
  read().catch(failed);

  return {
    isAlive: (token) => alive.has(token),
    get others() {
      return alive.size;
    },
    async close() {
      isClosed = true;
      await looks.running?.catch(() => {});
    },
  };
}

async function askedOver(
  { request }: Pick<NodeMessages, 'request'>,
  other: number,
): Promise<'answered' | 'no-receiver' | 'no-answer'> {
  try {
    await request(tokenOf(other), asked, new Uint8Array(), deadlineMs);
    return 'answered';
  } catch (error) {
    return foundNoReceiver(error) ? 'no-receiver' : 'no-answer';
  }
}

/**
 * The question changes nothing, so its repetition counts as well: on a busy machine the time of the first attempt may be over before
 * this process has read its outcome.
 */
function foundNoReceiver(error: unknown): boolean {
  return error instanceof BusError && (error.code === 'bus-no-receiver' || foundNoReceiver(error.cause));
}
