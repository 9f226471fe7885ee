import assert from 'node:assert/strict';
import type { NewRecording, RecordingNotice, Recordings } from '../../recordings/index.ts';

/** The recordings feature as multiparty calls see it: keeps the orders, and ends recordings when the test says so. */
export interface ScriptedRecordings extends Recordings {
  /** By their UUIDs: as they were ordered. */
  readonly ordered: ReadonlyMap<string, NewRecording>;
  /** `<order> <uuid>` of each order, and the legs of each track for `retrack`. */
  readonly orders: readonly string[];
  /** Its file is complete. */
  finish(recording: string): void;
  /** The next start is refused by the database. */
  failNext(): void;
}

export function createScriptedRecordings(): ScriptedRecordings {
  const owners = new Map<string, (owner: string, notice: RecordingNotice) => void>();
  const ordered = new Map<string, NewRecording>();
  const orders: string[] = [];
  let fails = false;
  const note = (order: string) => (recording: string) => {
    assert.ok(ordered.has(recording), `${order} of a recording that was never started`);
    orders.push(`${order} ${recording}`);
  };

  return {
    canTranscribe: false,
    ordered,
    orders,
    ownedBy(kind, notify) {
      assert.ok(!owners.has(kind), 'each kind of owner registers once');
      owners.set(kind, notify);
    },
    urlOf: ({ recording, account, format }) => `https://files/${account}/${recording}.${format}`,
    async start(order) {
      if (fails) {
        fails = false;
        throw new Error('the disk is full');
      }
      assert.ok(!ordered.has(order.recording), 'a recording has a name of its own');
      ordered.set(order.recording, order);
      orders.push(`start ${order.recording}`);
    },
    retrack(recording, tracks) {
      orders.push(`retrack ${recording} ${tracks.map(({ said }) => said.join('+')).join('|')}`);
    },
    changeMembers(recording, members) {
      orders.push(
        `members ${recording} ${members.map(({ channel, memberId }) => `${channel}:${memberId}`).join(' ')}`,
      );
    },
    pause: note('pause'),
    resume: note('resume'),
    stop: note('stop'),
    finish(recording) {
      const order = ordered.get(recording);
      assert.ok(order);
      owners.get(order.owner.kind)?.(order.owner.id, {
        type: 'recording-over',
        recording,
        url: '',
        outcome: 'completed',
        because: 'stopped',
        durationMs: 1000,
        startedAt: 0,
        endedAt: 1000,
      });
    },
    failNext() {
      fails = true;
    },
  };
}
