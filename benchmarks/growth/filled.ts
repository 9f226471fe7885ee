import { boundAt } from '@jackfield/platform/kernel';
import type { Client } from 'pg';

/** Owns everything in these benches. */
export const account = 'MABENCHMARK000000000';

/** Rows that a platform of this size has before the first write that is measured. */
export interface Filling {
  readonly phones: number;
  /** Of a stored registration; it covers a refresh with slack. */
  readonly longSeconds: number;
  /** Of every `shortEvery`th registration; it covers no refresh. */
  readonly shortSeconds: number;
  readonly shortEvery: number;
  readonly endedLegs: number;
  readonly events: number;
  readonly callbacks: number;
  /** Over which the ends of the legs and the callbacks are spread. */
  readonly spreadMs: number;
}

/** In the order of their time, as the identifiers of the platform are. */
const identifier = (at: string, number: string) =>
  `substr(lpad(to_hex(${at}), 12, '0'), 1, 8) || '-' || substr(lpad(to_hex(${at}), 12, '0'), 9, 4)
    || '-7000-8000-' || lpad(to_hex(${number}), 12, '0')`;

/**
 * Fills the tables after the first row of each kind, which the stores have written: copies differ in their identifiers and times. Through
 * the stores it would take minutes.
 */
export async function fill(client: Client, filling: Filling): Promise<void> {
  const { phones, longSeconds, shortSeconds, shortEvery, endedLegs, events, callbacks, spreadMs } = filling;
  const now = Date.now();
  await client.query(
    `INSERT INTO sip_endpoints (endpoint_id, account, main_account, username, base_name, stamp, alias,
       password_md5_sealed, ha1_md5, ha1_sha256, created_at)
     SELECT 'phone' || n, $2, $2, 'phone' || n, 'phone', n, '', '', '', '', 0 FROM generate_series(0, $1 - 1) AS n`,
    [phones, account],
  );
  await client.query(
    `INSERT INTO sip_bindings (endpoint_id, contact, instance, reg_id, path, flow, q, expires_at, call_id, cseq,
       user_agent, registered_at, may_call, refreshed_at, transport, source)
     SELECT 'phone' || n, 'sip:phone' || n || '@192.0.2.1:5062', '', 0, '', 'udp-192.0.2.1-5062', 1,
       $2::bigint + 1000 * CASE WHEN n % $5 = 0 THEN $4::bigint ELSE $3::bigint END,
       'call-of-phone' || n, 1, 'Phone 1.0', $2, 1, $2, 'UDP', '192.0.2.1:5062'
     FROM generate_series(0, $1 - 1) AS n`,
    [phones, now, longSeconds, shortSeconds, shortEvery],
  );
  const copy = async (table: string, key: string, rows: number, times: readonly [string, ...string[]]) => {
    const at = `($2::bigint - $3::bigint * n / $1::bigint)`;
    const changed = times.map((column) => `, '${column}', ${at}`).join('');
    await client.query(
      `INSERT INTO ${table} OVERRIDING SYSTEM VALUE
       SELECT copied.* FROM (SELECT * FROM ${table} WHERE ${times[0]} IS NOT NULL LIMIT 1) AS first
       CROSS JOIN generate_series($1::bigint, 1, -1) AS n
       CROSS JOIN LATERAL jsonb_populate_record(NULL::${table},
         to_jsonb(first.*) || jsonb_build_object('${key}', ${identifier(at, 'n')}${changed}
           ${table === 'outbox' ? ", 'id', nextval(pg_get_serial_sequence('outbox', 'id'))" : ''})) AS copied`,
      [rows, now, spreadMs],
    );
  };
  await asBefore(client, now, spreadMs);
  await copy('calls', 'call_uuid', endedLegs, ['ended_at', 'initiated_at', 'answered_at']);
  await copy('callbacks', 'callback_id', callbacks, ['created_at', 'last_attempt_at']);
  await copy('outbox', 'event_id', events, ['delivered_at', 'created_at']);
  await client.query('VACUUM ANALYZE');
  // The first change of a page behind a checkpoint writes the whole page to the log: old rows lie on pages without changes.
  await client.query('CHECKPOINT');
}

/** The log of callbacks has a partition for the last hours, as if its partitions had been there all along. */
async function asBefore(client: Client, now: number, spreadMs: number): Promise<void> {
  const [from, to] = [now - spreadMs - 1_000, now + spreadMs - 60_000].map(boundAt);
  await client.query(`
    ALTER TABLE callbacks DETACH PARTITION callbacks_before;
    CREATE TABLE callbacks_filled PARTITION OF callbacks FOR VALUES FROM ('${from}') TO ('${to}');
    INSERT INTO callbacks SELECT * FROM callbacks_before;
    DROP TABLE callbacks_before`);
}
