import type { Clock, Database, Logger, Telephony } from '@jackfield/ports';
import { type ClientQuality, type ClientReport, readReport, withReport } from '../domain/client-quality.ts';
import { tablesOf } from '../tables.ts';

/** A phone reports each half minute; faster reports over signalling are dropped. */
const leastIntervalMs = 5_000;

/** Reports of pages about the quality of their calls. */
export interface ClientQualities {
  /** Adds a report to the record of a call; nothing happens without the record. */
  add(call: string, report: ClientReport): Promise<void>;
  /** The leg has ended. */
  forget(leg: string): void;
}

/** Stores reports, also those that phones send in their dialogs. */
export function createClientQualities({
  database,
  clock,
  telephony,
  log,
}: {
  readonly database: Pick<Database, 'transact'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly telephony: Pick<Telephony, 'listenToReports'>;
  readonly log?: Logger | undefined;
}): ClientQualities {
  /** When each leg has reported last. */
  const reported = new Map<string, number>();

  async function add(call: string, report: ClientReport): Promise<void> {
    await database.transact(async (write) => {
      const tables = tablesOf(write);
      const row = await tables
        .selectFrom('calls')
        .select('client_quality')
        .where('call_uuid', '=', call)
        .executeTakeFirst();
      if (row === undefined) return;
      const before = row.client_quality === null ? null : (JSON.parse(row.client_quality) as ClientQuality);
      await tables
        .updateTable('calls')
        .set({ client_quality: JSON.stringify(withReport(before, report)) })
        .where('call_uuid', '=', call)
        .execute();
    });
  }

  telephony.listenToReports?.(({ leg, body }) => {
    const now = clock.now();
    if (now - (reported.get(leg) ?? Number.NEGATIVE_INFINITY) < leastIntervalMs) return;
    const report = readReport(body);
    if (report === undefined) return;
    reported.set(leg, now);
    add(leg, report).catch((error: unknown) => {
      log?.error({ leg, err: error }, 'quality report of a page could not be stored');
    });
  });

  return { add, forget: (leg) => void reported.delete(leg) };
}
