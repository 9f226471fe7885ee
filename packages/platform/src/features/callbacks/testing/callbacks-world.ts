import { createSecrets } from '@jackfield/adapters/secrets';
import type { EgressOutcome, EgressRequest } from '@jackfield/ports';
import { createVirtualClock, type OpenDatabase } from '@jackfield/testkit';
import { openApi } from '../../../http/testing/api-world.ts';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import { createOutbox, outboxMigrations } from '../../../kernel/outbox.ts';
import { type CallbacksDeps, callbackMigrations, createCallbacks } from '../create-callbacks.ts';

export const ok: EgressOutcome = { status: 200, headers: {}, body: new Uint8Array() };
export const answer = (status: number): EgressOutcome => ({ ...ok, status });
export const down: EgressOutcome = {
  problem: { kind: 'unreachable', sentence: 'no connection: ECONNREFUSED' },
};

type Reply = EgressOutcome | Promise<EgressOutcome>;

/** Callbacks behind the real HTTP interface on a real database; receivers answer what the test says. */
export async function openWorld(
  open: OpenDatabase,
  reply: (request: EgressRequest, number: number) => Reply,
  options: Pick<CallbacksDeps, 'limits' | 'prefixes'> = {},
) {
  const database = await open([...outboxMigrations, ...callbackMigrations]);
  const sent: { request: EgressRequest; at: number }[] = [];
  const clock = createVirtualClock();
  const secrets = createSecrets(new Uint8Array(32).fill(7));
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const outbox = createOutbox({
    database,
    clock,
    log,
    newEventId: () => secrets.randomUuid(),
  });
  const callbacks = createCallbacks({
    database,
    clock,
    log,
    secrets,
    outbox,
    egress: {
      async send(request) {
        sent.push({ request, at: clock.now() - startedAt });
        return reply(request, sent.length);
      },
    },
    authTokenOf: (authId) => api.accounts.authTokenOf(authId),
    ...options,
  });
  const api = await openApi(
    Object.assign(async () => database, open),
    {
      routes: callbacks.routes,
      clock,
    },
  );
  const startedAt = clock.now();
  callbacks.open();
  return {
    api,
    callbacks,
    sent,
    /** Field `n` of what was sent, and when. */
    numbers: () => sent.map(({ request, at }) => `${new URLSearchParams(request.body).get('n')} at ${at}`),
    async emit(url: string, changes: Partial<OutboxEvent> = {}, method: 'GET' | 'POST' = 'POST') {
      const { authId } = api.main;
      const callback = { url, method };
      const about = { type: 'happened', account: authId, mainAccount: authId };
      const event = { ...about, resource: 'r/1', payload: { n: 1 } };
      await database.transact((write) => outbox.appendEvents(write, [{ ...event, callback, ...changes }]));
      outbox.wake();
      await outbox.idle();
    },
    async advance(ms: number) {
      const until = api.clock.now() + ms;
      // Step by step: what a timer set off may wait for a real database.
      while (api.clock.now() < until) {
        await outbox.idle();
        const next = api.clock.nextAt ?? until;
        await api.clock.advance(Math.max(0, Math.min(next, until) - api.clock.now()));
        await outbox.idle();
        if ((api.clock.nextAt ?? Number.POSITIVE_INFINITY) > until) {
          await api.clock.advance(until - api.clock.now());
        }
      }
    },
    outbox,
    close: async () => {
      await callbacks.release();
      await api.app.close();
    },
  };
}
