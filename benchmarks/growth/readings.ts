import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'pg';
import { cpuOfFamily } from '../measure.ts';
import type { Part } from '../part.ts';

/** Counters since the start of the server and of its writers. */
export interface Reading {
  readonly atMs: number;
  /** Of all programs. */
  readonly machineCpuMs: number;
  readonly serverCpuMs: number;
  /** Of each process that writes. */
  readonly writersCpuMs: readonly number[];
  readonly walBytes: number;
  /** In which some process waited for the log to be on the disk. */
  readonly walSyncMs: number;
  readonly commits: number;
}

export interface TableReading {
  readonly table: string;
  readonly rows: number;
  readonly deadRows: number;
  readonly bytes: number;
  readonly vacuums: number;
}

/** Of the server whose socket lies in the directory of this URL. */
export function postmasterOf(url: string): number {
  const directory = new URL(url).searchParams.get('host')!;
  return Number(readFileSync(join(directory, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

export async function read(client: Client, postmaster: number, writers: readonly Part[]): Promise<Reading> {
  const { rows } = await client.query<Readonly<Record<string, string>>>(
    `SELECT wal_bytes, wal_sync_time, (SELECT sum(xact_commit) FROM pg_stat_database) AS commits FROM pg_stat_wal`,
  );
  const { wal_bytes, wal_sync_time, commits } = rows[0]!;
  const times = cpus().map(({ times: { user, nice, sys, irq } }) => user + nice + sys + irq);
  const readings = await Promise.all(writers.map((writer) => writer.cpu()));
  return {
    atMs: performance.now(),
    machineCpuMs: times.reduce((sum, each) => sum + each, 0),
    serverCpuMs: cpuOfFamily(postmaster),
    writersCpuMs: readings.map(({ cpuMs }) => cpuMs),
    walBytes: Number(wal_bytes),
    walSyncMs: Number(wal_sync_time),
    commits: Number(commits),
  };
}

export async function readTables(client: Client): Promise<readonly TableReading[]> {
  const { rows } = await client.query<Readonly<Record<string, string>>>(
    `SELECT relname, n_live_tup, n_dead_tup, pg_total_relation_size(relid) AS bytes, vacuum_count + autovacuum_count AS vacuums
     FROM pg_stat_user_tables WHERE n_live_tup + n_dead_tup > 100 ORDER BY pg_total_relation_size(relid) DESC`,
  );
  return rows.map(({ relname, n_live_tup, n_dead_tup, bytes, vacuums }) => ({
    table: relname!,
    rows: Number(n_live_tup),
    deadRows: Number(n_dead_tup),
    bytes: Number(bytes),
    vacuums: Number(vacuums),
  }));
}
