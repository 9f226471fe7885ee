#!/usr/bin/env node
import { createLogger } from '@jackfield/adapters/logger';
import type { Logger } from '@jackfield/platform';
import { Command } from 'commander';
import pretty from 'pino-pretty';
import { banner, firstAccountNotice } from './banner.ts';
import { type Config, describeConfig, loadConfig, readEnvironment } from './config.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { StartFailure } from './start-failure.ts';

/** How long live calls may go on after the first signal: on a server as long as hosts that stop containers wait, at a desk not at all. */
const drainLimitMs = { production: 30_000, dev: 0 };

const noCarriers =
  'Without carriers and without the sandbox no number of the public network can be called: such calls end with 5020 Routing Error.';

const program = new Command('jackfield').description(
  'An open communications platform that you run yourself.',
);
program
  .command('dev')
  .description('starts the platform in its sandbox, on this machine alone')
  .action(() => run('dev'));
program
  .command('start')
  .description('starts the platform for production')
  .action(() => run('production'));
await program.parseAsync();

async function run(mode: 'dev' | 'production'): Promise<void> {
  const loaded = loadConfig({ env: readEnvironment(), mode });
  if (!loaded.ok) {
    for (const { sentence } of loaded.problems) process.stderr.write(`${sentence}\n`);
    process.exitCode = 1;
    return;
  }
  const { config } = loaded;
  const log = createLogger({
    level: config.logLevel,
    ...(process.stdout.isTTY ? { destination: pretty({ colorize: true, sync: true }) } : {}),
  });
  endOnFaults(log);
  log.debug({ configuration: describeConfig(loaded.inForce) }, 'The configuration in force.');
  try {
    const embedded = await startEmbedded({
      config,
      log,
      onFatal(error) {
        log.error(
          { err: error },
          'The media thread has died; the process ends so that it can be started again.',
        );
        process.exit(1);
      },
    });
    endOnSignals(embedded, log, drainLimitMs[mode]);
    const { http, sip, sips } = embedded;
    log.info({ http, sip, ...(sips === undefined ? {} : { sips }) }, 'Jackfield is ready.');
    // At a terminal the signal says that it was closed, and ends the process as ever.
    if (config.tls !== undefined && !process.stdin.isTTY) {
      process.on('SIGHUP', () => embedded.reloadCertificate());
    }
    const { account } = embedded.platform;
    if (mode === 'dev' && config.sandbox) process.stdout.write(bannerOf(embedded, config));
    else if (account.isNew && config.account === undefined) process.stdout.write(firstAccountNotice(account));
    if (!config.sandbox && config.carriersFile === undefined) log.warn({}, noCarriers);
  } catch (error) {
    if (error instanceof StartFailure) process.stderr.write(`${error.message}\n`);
    else log.error({ err: error }, 'Jackfield could not start.');
    // Whatever of the start still holds the process open has nothing to do any more.
    process.exit(1);
  }
}

/** Nobody goes on after a fault that nobody foresaw: what it left half done would show up as another one, later. */
function endOnFaults(log: Logger): void {
  process.on('uncaughtException', (error, origin) => {
    log.error(
      { err: error, origin },
      'An unforeseen fault; the process ends so that it can be started again.',
    );
    process.exit(1);
  });
}

function bannerOf(
  { http, sip, sips, platform }: Embedded,
  { publicAddress, sip: { domains } }: Config,
): string {
  // What listens on every address is reached by the one that phones are told.
  const shown = <At extends Embedded['sip']>(at: At) =>
    at.host === '0.0.0.0' || at.host === '::' ? { ...at, host: publicAddress } : at;
  return banner({
    http: shown(http),
    sip: shown(sip),
    ...(sips === undefined ? {} : { sips }),
    account: platform.account,
    domain: domains[0] ?? '',
  });
}

/** The first signal drains, the second one ends at once. */
function endOnSignals(embedded: Embedded, log: Logger, limitMs: number): void {
  let isEnding = false;
  const end = async (signal: string): Promise<void> => {
    if (isEnding) process.exit(130);
    isEnding = true;
    log.info({ signal, limitMs }, 'Draining: no new calls, live ones may end.');
    await embedded.drain(limitMs);
    await embedded.close();
    log.info({}, 'Jackfield has ended.');
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end(signal));
}
