#!/usr/bin/env node
import './node-version.ts';
import { createLogger } from '@jackfield/adapters/logger';
import { returnStartMemory } from '@jackfield/adapters/media-worker';
import type { Logger } from '@jackfield/ports';
import { Command, InvalidArgumentError } from 'commander';
import pretty from 'pino-pretty';
import { banner, firstAccountNotice } from './banner.ts';
import { type Config, describeConfig, endsWithParent, loadConfig, readEnvironment } from './config.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { onParentEnd } from './parent-end.ts';
import { explainPostgres, StartFailure } from './start-failure.ts';
import { runTestServer } from './test-server.ts';
import { writeTokenFile } from './token-file.ts';
import { attackVerification } from './verify-attack/verify-attack.ts';
import { version } from './version.ts';

const noCarriers =
  'Without carriers and without the sandbox no number of the public network can be called: such calls end with 5020 Routing Error.';

const program = new Command('jackfield')
  .description('An open communications platform that you run yourself.')
  .version(version, '--version', 'prints the version');
program
  .command('dev')
  .description('starts the platform in its sandbox, on this machine alone')
  .action(() => run('dev'));
program
  .command('start')
  .description('starts the platform for production')
  .action(() => run('production'));
program
  .command('test-server')
  .description('gives tests in any language worlds of simulated phones, over HTTP')
  .option('--port <port>', 'the port of the HTTP interface', portNumber, 8090)
  .option('--host <host>', 'the address of the HTTP interface', '127.0.0.1')
  .action(runTestServer);
program
  .command('verify-attack')
  .description(
    'attacks the verification of a platform in its sandbox, and prints what that achieves and costs',
  )
  .option('--url <url>', 'a platform that runs already; by default one is started for the attack alone')
  .option('--auth-id <id>', 'its account')
  .option('--auth-token <token>', 'the token of the account')
  .option('--app-uuid <uuid>', 'the app that is attacked; the default one when left out')
  .option(
    '--set <name=value...>',
    'settings of the app of the platform that is started, such as code_length=4',
  )
  .option('--sessions <number>', 'sessions that are guessed at', wholeNumber, 200)
  .option('--messages <number>', 'messages that are pumped', wholeNumber, 1000)
  .option('--price <amount>', 'of one message', Number, 0.05)
  .action(runVerifyAttack);
await program.parseAsync();

interface AttackFlags {
  readonly url?: string;
  readonly authId?: string;
  readonly authToken?: string;
  readonly appUuid?: string;
  readonly set?: readonly string[];
  readonly sessions: number;
  readonly messages: number;
  readonly price: number;
}

async function runVerifyAttack(flags: AttackFlags): Promise<void> {
  const { url, authId, authToken, appUuid, set = [], ...numbers } = flags;
  if (url !== undefined && (authId === undefined || authToken === undefined)) {
    process.stderr.write('--url needs --auth-id and --auth-token\n');
    process.exit(1);
  }
  const target = url === undefined ? undefined : { url, authId: authId ?? '', authToken: authToken ?? '' };
  try {
    const { text, findings } = await attackVerification(
      {
        ...numbers,
        ...(target === undefined
          ? { app: Object.fromEntries(set.map(settingOf)) }
          : { target: { ...target, ...(appUuid === undefined ? {} : { appUuid }) } }),
        progress: (attack) => process.stderr.write(`${attack} …\n`),
      },
      readEnvironment(),
    );
    process.stdout.write(`\n${text}`);
    process.exit(findings.every(({ holds }) => holds) ? 0 : 1);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** Parses `code_length=4` for the API: numbers become numbers. */
function settingOf(text: string): [string, string | number] {
  const [name = '', ...rest] = text.split('=');
  const value = rest.join('=');
  return [name, /^\d+$/.test(value) ? Number(value) : value];
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidArgumentError('must be a port from 0 to 65535; 0 chooses a free one');
  }
  return port;
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('must be a whole number from 1 on');
  return value;
}

async function run(mode: 'dev' | 'production'): Promise<void> {
  const env = readEnvironment();
  const loaded = loadConfig({ env, mode });
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
  log.info({ configuration: describeConfig(loaded.inForce) }, 'configuration in force');
  try {
    const embedded = await startEmbedded({
      config,
      log,
      ...(mode === 'dev' && config.activity
        ? { show: (line) => void process.stdout.write(`${line}\n`) }
        : {}),
      onFatal(error) {
        const taken = explainPostgres(error);
        if (taken !== undefined) log.error({}, `${taken}. This process ends.`);
        else
          log.error(
            { err: error },
            'The media thread has died; the process ends so that it can be started again.',
          );
        process.exit(1);
      },
    });
    const end = endOnSignals(embedded, log, config.drainSeconds * 1000);
    if (endsWithParent(env)) onParentEnd(end);
    const { http, sip, sips } = embedded;
    returnStartMemory();
    log.info({ http, sip, ...(sips === undefined ? {} : { sips }) }, 'Jackfield is ready.');
    // At a terminal SIGHUP means that the terminal was closed, and ends the process as by default.
    // Elsewhere it means a reload, which must not end calls where no certificate is in use.
    if (!process.stdin.isTTY) {
      process.on('SIGHUP', () => embedded.reloadCertificate());
    }
    const { account } = embedded.platform;
    if (mode === 'dev' && config.sandbox) process.stdout.write(await bannerOf(embedded, config));
    else if (account.isNew && config.account === undefined) {
      if (process.stdout.isTTY) process.stdout.write(firstAccountNotice(account));
      else {
        const file = writeTokenFile(config.dataDir, account.authToken);
        log.info({ authId: account.authId, file }, 'first account made; its token is in the file');
      }
    }
    if (!config.sandbox && config.carriersFile === undefined) log.warn({}, noCarriers);
  } catch (error) {
    if (error instanceof StartFailure) process.stderr.write(`${error.message}\n`);
    else log.error({ err: error }, 'Jackfield could not start.');
    // Any part of the start that still keeps the process open has no more work to do.
    process.exit(1);
  }
}

/** Ends the process after an unforeseen fault: its half-done work would cause another fault later. */
function endOnFaults(log: Logger): void {
  process.on('uncaughtException', (error, origin) => {
    log.error(
      { err: error, origin },
      'An unforeseen fault; the process ends so that it can be started again.',
    );
    process.exit(1);
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
      : { tokenFile: writeTokenFile(dataDir, platform.account.authToken) }),
    domain: domains[0] ?? '',
  });
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
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isEnding) process.exit(130);
      void end(signal);
    });
  }
  return () => {
    if (!isEnding) void end("the parent's end");
  };
}
