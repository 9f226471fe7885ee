import { constants } from 'node:os';
import { createLogger } from '@jackfield/adapters/logger';
import { returnStartMemory } from '@jackfield/adapters/media-worker';
import type { Logger } from '@jackfield/ports';
import { banner, firstAccountNotice } from './banner.ts';
import { EndedByAnotherError } from './cluster-node.ts';
import { type Config, describeConfig, endsWithParent } from './config.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { collectBeforeEnd, endProcess } from './end-process.ts';
import { loadSettings } from './load-settings.ts';
import { onParentEnd } from './parent-end.ts';
import { readableLines } from './readable-lines.ts';
import { explainDirectory, explained, explainPostgres, StartFailure } from './start-failure.ts';
import { writeTokenFile } from './token-file.ts';
import { explainWriting, newFilesIn } from './write-faults.ts';

const endSignals = ['SIGTERM', 'SIGINT'] as const;

const noCarriers =
  'Without carriers and without the sandbox no number of the public network can be called: such calls end with 5020 Routing Error.';

/** Starts the platform, and returns while it runs; a start that fails ends the process with 1. */
export async function runPlatform(mode: 'dev' | 'production'): Promise<void> {
  const started = endOnSignalsDuringStart();
  const loaded = loadSettings(mode);
  const { env } = loaded;
  if (!loaded.ok) {
    for (const { sentence } of loaded.problems) process.stderr.write(`${sentence}\n`);
    process.exitCode = 1;
    return;
  }
  const { config } = loaded;
  const log = createLogger({
    level: config.logLevel,
    ...(process.stdout.isTTY ? { destination: await readableLines(loaded.inForce) } : {}),
  });
  endOnFaults(log);
  log.info({ configuration: describeConfig(loaded.inForce) }, 'configuration in force');
  const { dataDir, databaseUrl } = config;
  // Where the database is elsewhere, it is kept, and the key of the directory with it.
  const added = databaseUrl === undefined ? newFilesIn(dataDir, 'jackfield.sqlite') : undefined;
  let embedded: Embedded | undefined;
  try {
    const running = await startEmbedded({
      config,
      log,
      ...(mode === 'dev' && config.activity
        ? { show: (line) => void process.stdout.write(`${line}\n`) }
        : {}),
      onFatal(error) {
        const taken = error instanceof EndedByAnotherError ? error.message : explainPostgres(error);
        if (taken !== undefined) log.error({}, `${taken}. This process ends.`);
        else
          log.error(
            { err: error },
            'The media thread has died; the process ends so that it can be started again.',
          );
        endProcess(1);
      },
    });
    embedded = running;
    started();
    const end = endOnSignals(running, log, config.drainSeconds * 1000);
    if (endsWithParent(env)) onParentEnd(end);
    const { http, operator, sip, sips } = running;
    returnStartMemory();
    log.info({ http, ...(operator && { operator }), sip, ...(sips && { sips }) }, 'Jackfield is ready.');
    // At a terminal SIGHUP means that the terminal was closed, and ends the process as by default.
    // Elsewhere it means a reload, which must not end calls where no certificate is in use.
    if (!process.stdin.isTTY) {
      process.on('SIGHUP', () => running.reloadCertificate());
    }
    const { account } = running.platform;
    if (mode === 'dev' && config.sandbox) process.stdout.write(await bannerOf(running, config));
    else if (account.isNew && config.account === undefined) {
      if (process.stdout.isTTY) process.stdout.write(firstAccountNotice(account));
      else {
        const file = await explained(explainDirectory(dataDir), () =>
          writeTokenFile(dataDir, account.authToken),
        );
        log.info({ authId: account.authId, file }, 'first account made; its token is in the file');
      }
    }
    if (!config.sandbox && config.carriersFile === undefined) log.warn({}, noCarriers);
  } catch (error) {
    if (explainWriting(error, dataDir) !== undefined) {
      // What could not be written may keep a part from closing; the process ends all the same.
      await embedded?.close().catch(() => undefined);
      added?.remove();
    }
    if (error instanceof StartFailure) process.stderr.write(`${error.message}\n`);
    else log.error({ err: error }, 'Jackfield could not start.');
    // Any part of the start that still keeps the process open has no more work to do.
    endProcess(1);
  }
}

/** Ends the process after an unforeseen fault: its half-done work would cause another fault later. */
function endOnFaults(log: Logger): void {
  process.on('uncaughtException', (error, origin) => {
    log.error(
      { err: error, origin },
      'An unforeseen fault; the process ends so that it can be started again.',
    );
    endProcess(1);
  });
}

async function bannerOf(
  { http, sip, sips, platform }: Embedded,
  { publicAddress, dataDir, sip: { domains } }: Config,
): Promise<string> {
  // A server that listens on every address is shown at the public address, which phones use.
  const shown = <At extends Embedded['sip']>(at: At) =>
    at.host === '0.0.0.0' || at.host === '::' ? { ...at, host: publicAddress } : at;
  return banner({
    http: shown(http),
    sip: shown(sip),
    ...(sips === undefined ? {} : { sips }),
    account: platform.account,
    ...(process.stdout.isTTY
      ? { consoleToken: await platform.createConsoleLink() }
      : {
          tokenFile: await explained(explainDirectory(dataDir), () =>
            writeTokenFile(dataDir, platform.account.authToken),
          ),
        }),
    domain: domains[0] ?? '',
  });
}

/**
 * The first process of a container gets no signal that it does not handle (pid_namespaces(7)): a start would go on until it is killed. Any other
 * process ends by default. Returns what takes the handlers back.
 */
function endOnSignalsDuringStart(): () => void {
  const exit = (signal: 'SIGTERM' | 'SIGINT') => endProcess(128 + constants.signals[signal]);
  if (process.pid === 1) for (const signal of endSignals) process.on(signal, exit);
  return () => {
    for (const signal of endSignals) process.off(signal, exit);
  };
}

/**
 * The first signal drains, the second ends at once. Returns the handler for the parent's end: it drains, and does not end a drain that has
 * begun.
 */
function endOnSignals(embedded: Embedded, log: Logger, limitMs: number): () => void {
  let isEnding = false;
  const end = async (signal: string): Promise<void> => {
    isEnding = true;
    log.info({ signal, limitMs }, 'Draining: no new calls, live ones may end.');
    await embedded.drain(limitMs);
    await embedded.close();
    log.info({}, 'Jackfield has ended.');
    // Nothing keeps the process any more. Node.js waits for threads that compile at this end as well.
    collectBeforeEnd();
  };
  for (const signal of endSignals) {
    process.on(signal, () => {
      if (isEnding) endProcess(130);
      void end(signal);
    });
  }
  return () => {
    if (!isEnding) void end("the parent's end");
  };
}
