import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe } from 'node:test';
import type { Database, Migration } from '@jackfield/ports';
import { createMigratedCopies, type MigratedCopies } from './migrated-copies.ts';
import { createCopiedDatabase } from './migrated-files.ts';
import { type PostgresServer, postgresMissing, startPostgres } from './postgres-server.ts';
import { createRecordingLog } from './recording-log.ts';

/**
 * Opens databases for the tests of a suite. They are closed after each test, and their data is removed. A database that
 * `before` opens stays until the end of the suite.
 */
export interface OpenDatabase {
  /** A new database with these migrations applied; without a list, the first use of the database has to be its `migrate`. */
  (migrations?: readonly Migration[]): Promise<Database>;
  /** Closes the database and opens its data again, as a restart does. */
  again(database: Database): Promise<Database>;
  /** Called after the running test, or after the suite when no test runs, before its databases are closed. */
  beforeClose(end: (test: { readonly passed: boolean }) => Promise<void>): void;
}

/** Runs a suite over the embedded database and over PostgreSQL. */
export function eachDatabase(name: string, suite: (open: OpenDatabase) => void): void {
  onEmbeddedDatabase(name, suite);
  onPostgres(name, suite);
}

export function onEmbeddedDatabase(name: string, suite: (open: OpenDatabase) => void): void {
  describe(`${name} (embedded database)`, () => suite(overSqlite()));
}

/** The suite is skipped where PostgreSQL is not installed. */
export function onPostgres(name: string, suite: (open: OpenDatabase) => void): void {
  describe(`${name} (PostgreSQL)`, { skip: postgresMissing() ?? false }, () => suite(overPostgres()));
}

function overSqlite(): OpenDatabase {
  return opener(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'jackfield-database-'));
    return {
      open: () => createCopiedDatabase({ directory, log: createRecordingLog() }),
      remove: () => rmSync(directory, { recursive: true, force: true }),
    };
  });
}

/** One server for all suites of a process, with one database per test: starting a server takes longer than most suites. */
let starting: Promise<{ readonly server: PostgresServer; readonly copies: MigratedCopies }> | undefined;
let suites = 0;

function overPostgres(): OpenDatabase {
  suites++;
  const open = opener(async () => {
    starting ??= startOrThrow();
    const { copies } = await starting;
    // The end of the cluster removes its databases.
    return { ...copies.newDatabase(), remove: () => {} };
  });
  // Registered last, so that the databases of the suite close before their server stops.
  after(async () => {
    if (--suites > 0) return;
    const ending = starting;
    starting = undefined;
    await (await ending)?.server.stop();
  });
  return open;
}

async function startOrThrow() {
  const started = await startPostgres();
  if (started.server === undefined) throw new Error(started.reason);
  const { server } = started;
  return { server, copies: createMigratedCopies(server, createRecordingLog()) };
}

interface DatabaseSlot {
  open(): Database;
  remove(): void;
}

/** Databases that close together. */
interface Opened {
  readonly slots: Map<Database, DatabaseSlot>;
  readonly ends: Parameters<OpenDatabase['beforeClose']>[0][];
}

function opener(newSlot: () => Promise<DatabaseSlot>): OpenDatabase {
  const ofSuite: Opened = { slots: new Map(), ends: [] };
  let current = ofSuite;
  let allPassed = true;
  beforeEach(() => {
    current = { slots: new Map(), ends: [] };
  });
  afterEach(async (test) => {
    const passed = 'passed' in test && test.passed;
    allPassed &&= passed;
    const ofTest = current;
    current = ofSuite;
    await closeAll(ofTest, passed);
  });
  after(() => closeAll(ofSuite, allPassed));

  const open = async (migrations?: readonly Migration[]): Promise<Database> => {
    const { slots } = current;
    const slot = await newSlot();
    const database = slot.open();
    slots.set(database, slot);
    if (migrations !== undefined) await database.migrate(migrations);
    return database;
  };
  const again = async (database: Database): Promise<Database> => {
    const { slots } = [current, ofSuite].find((opened) => opened.slots.has(database)) ?? current;
    const slot = slots.get(database);
    if (slot === undefined) throw new Error('this database was not opened here');
    slots.delete(database);
    await database.close();
    const reopened = slot.open();
    slots.set(reopened, slot);
    return reopened;
  };
  return Object.assign(open, {
    again,
    beforeClose: (end: Opened['ends'][number]) => void current.ends.push(end),
  });
}

async function closeAll({ slots, ends }: Opened, passed: boolean): Promise<void> {
  const opened = [...slots];
  slots.clear();
  try {
    for (const end of ends.splice(0)) await end({ passed });
  } finally {
    for (const [database, slot] of opened) {
      await database.close();
      slot.remove();
    }
  }
}
