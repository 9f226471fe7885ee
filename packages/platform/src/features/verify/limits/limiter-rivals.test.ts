import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Database } from '@jackfield/ports';
import { onTwoNodes } from '@jackfield/testkit';
import { sql } from 'kysely';
import { verifyTables } from '../migrations/0001-verify.ts';
import { lateChecks } from '../migrations/0002-late-checks.ts';
import { countCheck } from '../store.ts';
import { createLimiter, sendLimits } from './limiter.ts';

const viewer = { authId: 'MA000000000000000000', isSubaccount: false };

onTwoNodes('the counters of two nodes', [verifyTables, lateChecks], ({ race }) => {
  test('admit one send where the limit is one', async () => {
    const admitted = new Map<string, number>();
    const limits = { ...sendLimits, recipient: { count: 1, seconds: 3_600 } };
    const admit = async (database: Database, account: string) => {
      const request = { account, recipient: '+14155552671', requestorIp: null, level: 'off' as const };
      const { kind } = await createLimiter(database, limits).admit(request, 0);
      if (kind === 'admitted') admitted.set(account, (admitted.get(account) ?? 0) + 1);
    };
    await race({
      prepare: async () => randomUUID(),
      unit: admit,
      rival: admit,
      check: async (_database, account) => assert.equal(admitted.get(account), 1),
    });
  });

  test('admit one check of a code where one is left', async () => {
    const hashes = new Map<string, number>();
    const check = async (database: Database, session: string) => {
      const { hash } = await countCheck(database, viewer, session, 0);
      if (hash !== undefined) hashes.set(session, (hashes.get(session) ?? 0) + 1);
    };
    await race({
      async prepare(database) {
        const session = randomUUID();
        await database.transact((write) =>
          sql`INSERT INTO verify_sessions (session_uuid, account, main_account, app_uuid, alias, recipient, country, template,
              code_length, code_hash, max_attempts, max_checks, checks, voice_fallback, created_at, expires_at, status, updated_at)
            VALUES (${session}, ${viewer.authId}, ${viewer.authId}, '', '', ${session}, '', '', 6, 'hash', 1, 1, 0, 0, 0, 1000,
              'in-progress', 0)`.execute(write),
        );
        return session;
      },
      unit: check,
      rival: check,
      check: async (_database, session) => assert.equal(hashes.get(session), 1),
    });
  });
});
