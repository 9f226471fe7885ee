import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { chown, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client } from 'pg';

const run = promisify(execFile);

/** A private PostgreSQL cluster that exists as long as the test. */
export interface PostgresServer {
  /** The URL of the database `postgres`; `createDatabase` makes others. */
  readonly url: string;
  /** An empty database of its own; resolves with its URL. */
  createDatabase(): Promise<string>;
  /** A database of its own that `create` creates later. */
  newDatabase(): NewDatabase;
  /** Kills the server as a power cut would, and starts it again on the same data. */
  crashAndRestart(): Promise<void>;
  /** Stops the server until `up` is called, on the same data. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Starts the server again as a standby, which refuses to write until `pg_promote()`. */
  demote(): Promise<void>;
  stop(): Promise<void>;
}

/** A database that does not exist yet. */
export interface NewDatabase {
  readonly name: string;
  readonly url: string;
  /** Creates it empty, or as a copy of the named database, which must have no connections. */
  create(template?: string): Promise<void>;
}

export interface PostgresServerOptions {
  /** fsync stays on: for tests of durability and for benchmarks. */
  readonly durable?: boolean;
  /** Further settings, such as `track_io_timing=on`. */
  readonly settings?: readonly string[];
}

/** In the temporary directory of a run of the tests (`tools/tests/run-directory.ts`): what `startPostgres` initialises once a run. */
const sharedClusters = 'postgres-clusters';

/** Undefined when this process is unprivileged itself. */
type PostgresUser = { readonly uid: number; readonly gid: number } | undefined;

const installedUnder = '/usr/lib/postgresql';
const notInstalled = `PostgreSQL is not installed (no ${installedUnder}/*/bin/initdb)`;

/** Why `startPostgres` cannot start a server; undefined when it can. It is the reason of skipped tests. */
export function postgresMissing(): string | undefined {
  return binaries() === undefined ? notInstalled : undefined;
}

/** Starts a cluster in a temporary directory, reachable through a Unix socket in there. */
export async function startPostgres(
  options: PostgresServerOptions = {},
): Promise<{ readonly server: PostgresServer } | { readonly server: undefined; readonly reason: string }> {
  const bin = binaries();
  if (bin === undefined) return { server: undefined, reason: notInstalled };
  const user = await unprivilegedUser();
  if (user === 'none')
    return { server: undefined, reason: 'PostgreSQL refuses to run as root, and there is no user postgres' };

  const directory = mkdtempSync(join(tmpdir(), 'jackfield-postgres-'));
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  chmodSync(directory, 0o700);
  const data = join(directory, 'data');
  await initialise(data, bin, user);

  let server = await startServer(bin, directory, user, options);
  let databases = 0;
  const urlOf = (database: string): string =>
    `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(directory)}`;

  const newDatabase = (): NewDatabase => {
    const name = `test_${++databases}`;
    return {
      name,
      url: urlOf(name),
      async create(template) {
        // Over a connection: starting the program createdb takes as much CPU as a small test.
        const client = new Client({ connectionString: urlOf('postgres') });
        await client.connect();
        try {
          // Copying the files of a template takes 0.05 s of CPU, copying its pages through the log (the default) 0.08 s.
          await client.query(
            `CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template} STRATEGY = FILE_COPY`}`,
          );
        } finally {
          await client.end();
        }
      },
    };
  };

  return {
    server: {
      url: urlOf('postgres'),
      async createDatabase() {
        const { url, create } = newDatabase();
        await create();
        return url;
      },
      newDatabase,
      async crashAndRestart() {
        // Immediate shutdown: no checkpoint; recovery reads the WAL.
        await end(server, 'SIGQUIT');
        server = await startServer(bin, directory, user, options);
      },
      down: () => end(server, 'SIGINT'),
      async up() {
        server = await startServer(bin, directory, user, options);
      },
      async demote() {
        await end(server, 'SIGINT');
        await writeFile(join(data, 'standby.signal'), '');
        if (user !== undefined) await chown(join(data, 'standby.signal'), user.uid, user.gid);
        server = await startServer(bin, directory, user, options);
      },
      async stop() {
        await end(server, 'SIGINT');
        await rm(directory, { recursive: true, force: true });
      },
    },
  };
}

/**
 * A copy of the cluster of this run of the tests: initdb takes 0.3 s of CPU, a copy of its files 0.04 s. Outside of a run, which creates
 * the directory, each cluster is initialised by itself.
 */
async function initialise(data: string, bin: string, user: PostgresUser): Promise<void> {
  const shared = join(tmpdir(), sharedClusters);
  if (!existsSync(shared)) return initialiseAnew(data, bin, user);
  const initialised = join(shared, 'data');
  if (!existsSync(initialised)) {
    const draft = mkdtempSync(join(shared, 'draft-'));
    if (user !== undefined) chownSync(draft, user.uid, user.gid);
    await initialiseAnew(join(draft, 'data'), bin, user);
    // Of several processes that begin at once the first one gives the name; a directory with files is never replaced.
    await rename(join(draft, 'data'), initialised).catch(() => {});
    await rm(draft, { recursive: true, force: true });
  }
  await run('cp', ['-R', initialised, data], { ...user, cwd: shared });
}

async function initialiseAnew(data: string, bin: string, user: PostgresUser): Promise<void> {
  const settings = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'];
  const args = ['-D', data, ...settings, '--no-sync', '--no-instructions'];
  await run(join(bin, 'initdb'), args, { ...user, cwd: dirname(data) });
}

function binaries(): string | undefined {
  if (!existsSync(installedUnder)) return undefined;
  return readdirSync(installedUnder)
    .sort((left, right) => Number(right) - Number(left))
    .map((version) => join(installedUnder, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres')));
}

/** PostgreSQL does not run as root: then its Debian user runs it. Undefined when this process is unprivileged itself. */
async function unprivilegedUser(): Promise<{ uid: number; gid: number } | 'none' | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return 'none';
  }
}

/**
 * The shell waits for the end of its standard input: when this process is killed, the pipe closes, the server stops and the directory is
 * removed. Signals are forwarded; a server that ended by itself ends the shell.
 */
const guardian = `
"$@" &
server=$!
trap 'kill -INT $server' INT
trap 'kill -QUIT $server' QUIT
(
  cat >/dev/null
  trap '' TERM
  kill -QUIT $server
  while kill -0 $server; do sleep 0.1; done
  rm -rf "$PWD"
) <&3 2>/dev/null &
lifeline=$!
wait $server
while kill -0 $server 2>/dev/null; do wait $server; done
kill $lifeline
`;

async function startServer(
  bin: string,
  directory: string,
  user: PostgresUser,
  { durable = false, settings: further = [] }: PostgresServerOptions,
): Promise<ChildProcess> {
  const settings = [
    `unix_socket_directories=${directory}`,
    'listen_addresses=',
    `fsync=${durable ? 'on' : 'off'}`,
    'max_connections=60',
    'shared_buffers=32MB',
    'logging_collector=off',
    'log_min_messages=warning',
    ...further,
  ];
  const server = spawn(
    'sh',
    [
      '-c',
      guardian,
      'sh',
      join(bin, 'postgres'),
      '-D',
      join(directory, 'data'),
      ...settings.flatMap((each) => ['-c', each]),
    ],
    { ...user, cwd: directory, detached: true, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: server.stderr! }).on('line', (line) => {
      lines.push(line);
      if (lines.length > 50) lines.shift();
      if (/database system is ready to accept (?:read-only )?connections/.test(line)) resolve();
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${lines.join('\n')}`)));
  });
  // A test process that has not stopped the server can still end: neither the server nor its pipes keep it alive.
  server.unref();
  for (const stream of server.stdio) (stream as { unref?: () => void } | null)?.unref?.();
  return server;
}

async function end(server: ChildProcess, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.ref();
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  server.kill(signal);
  await ended;
  for (const stream of server.stdio) stream?.destroy();
}
