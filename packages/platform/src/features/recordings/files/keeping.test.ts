import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Database, RecordingFiles, Write } from '@jackfield/ports';
import { createVirtualClock, eachDatabase } from '@jackfield/testkit';
import { recordingsTables } from '../migrations/0001-recordings.ts';
import { multipartyRecordings } from '../migrations/0002-multiparty-recordings.ts';
import { recordingFailureCodes } from '../migrations/0004-failure-codes.ts';
import { recordingIncarnation } from '../migrations/0005-incarnation.ts';
import { filesOfANode } from '../migrations/0006-files-of-a-node.ts';
import { saveRecording } from '../store.ts';
import { writing } from '../tables.ts';
import { exampleRecording } from '../testing/example-recording.ts';
import { until } from '../testing/recordings-world.ts';
import { createKeeping } from './keeping.ts';

eachDatabase('Keeping files elsewhere', (open) => {
  async function world(isShared = false) {
    const database = await open([
      recordingsTables,
      multipartyRecordings,
      recordingFailureCodes,
      recordingIncarnation,
      filesOfANode,
    ]);
    const clock = createVirtualClock();
    const warnings: unknown[] = [];
    const log = { debug() {}, info() {}, warn: (fields: unknown) => warnings.push(fields), error() {} };
    const asked: string[] = [];
    const refused = new Set<string>();
    const ends = new Map<string, () => void>();
    const files = {
      async keep(name: string, signal: AbortSignal) {
        asked.push(name);
        if (refused.has(name)) throw new Error('the store is gone');
        if (!ends.has(name)) return;
        await new Promise<void>((resolve, reject) => {
          ends.set(name, resolve);
          signal.addEventListener('abort', () => reject(new Error('broken off')));
        });
      },
    } as Partial<RecordingFiles> as RecordingFiles;
    let isFull = false;
    const fillDisk = (full: boolean) => {
      isFull = full;
    };
    const onDisk: Database = Object.assign(Object.create(database) as Database, {
      isShared,
      transact: async <Result>(work: (write: Write) => Promise<Result>): Promise<Result> => {
        if (isFull) throw new Error('the disk is full');
        return database.transact(work);
      },
    });
    const keeping = createKeeping({ database: onDisk, clock, log, recordingFiles: files, node: 'here' });
    const left = async (): Promise<readonly string[]> =>
      (
        await database.transact((write) =>
          writing(write)
            .selectFrom('recording_files_to_keep')
            .select('file_name')
            .orderBy('file_name')
            .execute(),
        )
      ).map(({ file_name }) => file_name);
    /** A recording that ended at this instant, with its file. */
    const ended = async (node = 'here'): Promise<string> => {
      const live = exampleRecording({ uuid: randomUUID(), createdAt: clock.now() });
      const over = { ...live, status: 'completed', bytes: 5, closedAt: clock.now() } as const;
      await database.transact(async (write) => {
        const writer = { areKeptElsewhere: true, incarnation: 1, node };
        await saveRecording(write, undefined, live, writer);
        await saveRecording(write, live, over, writer);
      });
      return `${live.uuid}.wav`;
    };
    return { database, clock, warnings, asked, refused, ends, keeping, left, ended, fillDisk };
  }

  /** Until the world stands still at this moment. */
  async function settled(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
  }

  test('a complete file is moved to its store once, and its entry is removed', async () => {
    const { keeping, left, ended, asked } = await world();
    const name = await ended();
    assert.deepEqual(await left(), [name]);
    keeping.wake();
    await settled(async () => (await left()).length === 0);
    assert.deepEqual(asked, [name]);
    await keeping.close();
  });

  test('a failed move is retried after 2 s, 4 s, 8 s, and at once after a restart', async () => {
    const { keeping, left, ended, asked, refused, clock, warnings, database } = await world();
    const name = await ended();
    refused.add(name);
    keeping.wake();
    for (const [tries, pauseMs] of [
      [1, 2000],
      [2, 4000],
      [3, 8000],
    ] as const) {
      await until(() => warnings.length === tries);
      // The timer is armed after the refusal was written.
      const due = clock.now() + pauseMs;
      await settled(async () => {
        const [row] = await database.transact((write) =>
          writing(write).selectFrom('recording_files_to_keep').selectAll().execute(),
        );
        return row?.next_at === due && row.attempts === tries;
      });
      await until(() => clock.nextAt === due);
      await clock.advance(pauseMs - 1);
      assert.equal(asked.length, tries);
      if (tries < 3) await clock.advance(1);
    }
    refused.clear();
    await keeping.start();
    await settled(async () => (await left()).length === 0);
    assert.equal(asked.length, 4);
    await keeping.close();
  });

  test('on a shared database a machine moves the files of its own disk alone', async () => {
    const { keeping, left, ended, asked, clock } = await world(true);
    const [own, other] = [await ended(), await ended('elsewhere')];
    await keeping.start();
    await settled(async () => (await left()).length === 1);
    await clock.advance(10_000);
    assert.deepEqual(asked, [own]);
    assert.deepEqual(await left(), [other]);
    await keeping.close();
  });

  test('the only process on a database moves all files, also those of a machine that was renamed', async () => {
    const { keeping, left, ended } = await world();
    await ended();
    await ended('an earlier name');
    await keeping.start();
    await settled(async () => (await left()).length === 0);
    await keeping.close();
  });

  test('a slow move delays no other file; close aborts it and keeps its entry', async () => {
    const { keeping, left, ended, ends } = await world();
    const slow = await ended();
    ends.set(slow, () => {});
    keeping.wake();
    const quick = [await ended(), await ended(), await ended(), await ended(), await ended()];
    keeping.wake();
    await settled(async () => (await left()).length === 1);
    assert.ok(!quick.includes((await left())[0]!));
    await keeping.close();
    assert.deepEqual(await left(), [slow]);
  });

  test('a move that cannot be recorded on a full disk is retried after a pause', async () => {
    const { keeping, left, ended, asked, clock, fillDisk } = await world();
    const name = await ended();
    fillDisk(true);
    keeping.wake();
    await until(() => asked.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(asked, [name]);
    fillDisk(false);
    await settled(async () => {
      await clock.advance(2000);
      return (await left()).length === 0;
    });
    assert.deepEqual(asked, [name, name]);
    await keeping.close();
  });
});
