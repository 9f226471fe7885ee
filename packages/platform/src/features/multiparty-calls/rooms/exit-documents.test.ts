import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallEnd } from '@jackfield/ports';
import { createRecordingLog } from '@jackfield/testkit';
import type { Calls } from '../../calls/index.ts';
import { Room } from '../domain/testing/room.ts';
import { createExitDocuments } from './exit-documents.ts';
import { ownerOf } from './leg-owner.ts';

const uuid = 'b2c40000-0000-4000-8000-000000000000';

/** The exit of a participant with an exit action whose document ends as given, and whose leg has this owner then. */
async function exit(run: () => Promise<boolean>, owner = ownerOf(uuid)) {
  const onExitAction = { url: 'https://example.com/exit', method: 'POST' } as const;
  const room = Room.created('active', { onExitAction }).answer(1).send({ type: 'end' });
  const effect = room.effects.find((each) => each.do === 'run-exit-document');
  assert.ok(effect?.do === 'run-exit-document');
  const hungUp: (readonly [string, CallEnd])[] = [];
  const log = createRecordingLog();
  const calls = {
    peek: (leg: string) => ({ leg, owner }) as ReturnType<Calls['peek']>,
    hangUp: (leg: string, end: CallEnd) => void hungUp.push([leg, end]),
  };
  const documents = createExitDocuments({ calls, log });
  documents.runBy(run);
  documents.run(uuid, effect);
  await new Promise((resolve) => setImmediate(resolve));
  const errors = log.lines.filter(({ level }) => level === 'error').length;
  return { ends: hungUp.map(([leg, { code, source }]) => `${leg} ${code} ${source}`), errors };
}

test('a leg that runs the document of its exit action is not hung up', async () => {
  assert.deepEqual(await exit(async () => true), { ends: [], errors: 0 });
});

test('a leg that finds no document ends with the cause of a leg without an exit action', async () => {
  assert.deepEqual(await exit(async () => false), { ends: ['leg-1 4020 API Request'], errors: 0 });
});

test('a leg that another owner has claimed before its document began stays with that owner', async () => {
  assert.deepEqual(await exit(async () => false, { kind: 'document', id: 'other' }), { ends: [], errors: 0 });
});

test('a document whose start fails is logged, and its leg ends', async () => {
  const failed = await exit(() => Promise.reject(new Error('the disk is full')));
  assert.deepEqual(failed, { ends: ['leg-1 4020 API Request'], errors: 1 });
});
