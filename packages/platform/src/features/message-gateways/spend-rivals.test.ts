import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Database } from '@jackfield/ports';
import { onTwoNodes } from '@jackfield/testkit';
import { messageSpendTable } from './migrations/0001-message-spend.ts';
import { createSpendStore } from './store.ts';

onTwoNodes('the spend on messages of two nodes', [messageSpendTable], ({ race }) => {
  test('stays within the cap when both reserve at once', async () => {
    const reserved = new Map<string, number>();
    const reserveAt = (now: number) => async (database: Database, gateway: string) => {
      if (await createSpendStore(database).reserve(gateway, 60, 100, now)) {
        reserved.set(gateway, (reserved.get(gateway) ?? 0) + 1);
      }
    };
    await race({
      prepare: async () => randomUUID(),
      // Two minutes have two rows.
      unit: reserveAt(120_000),
      rival: reserveAt(180_000),
      check: async (_database, gateway) => assert.equal(reserved.get(gateway), 1),
    });
  });
});
