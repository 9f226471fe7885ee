import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kamailioConfiguration } from '@jackfield/testkit/kamailio';
import { spawnBound } from './bound-child.ts';
import { eachLine, Happenings } from './lines.ts';

export interface KamailioOptions {
  /** An address of loopback of its own, so that its calls are known from those of phones. */
  readonly address: string;
  readonly port: number;
  /** How it handles requests: the body of `request_route`. */
  readonly routes: string;
  /** Further routes, whole. */
  readonly furtherRoutes?: string;
}

/** Debian's Kamailio as it comes, with a configuration of the test. */
export class Kamailio {
  /** Output of `xlog` and errors, line by line. */
  readonly log = new Happenings<string>();
  readonly #child: ChildProcess;
  readonly #directory: string;

  private constructor(child: ChildProcess, directory: string) {
    this.#child = child;
    this.#directory = directory;
    eachLine(child.stderr!, (line) => this.log.add(line));
    eachLine(child.stdout!, (line) => this.log.add(line));
    child.once('exit', (code) => this.log.close(`kamailio ended with ${code}`));
  }

  static async start(options: KamailioOptions): Promise<Kamailio> {
    return Kamailio.run(configurationOf(options));
  }

  /** Runs a whole configuration, which writes `kamailio is up` when it is. */
  static async run(configuration: string): Promise<Kamailio> {
    const directory = await mkdtemp(join(tmpdir(), 'kamailio-'));
    const file = join(directory, 'kamailio.cfg');
    await writeFile(file, configuration);
    const child = spawnBound(
      'kamailio',
      ['-f', file, '-DD', '-E', '-Y', directory, '-w', directory, '-m', '16', '-M', '4'],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const kamailio = new Kamailio(child, directory);
    await kamailio.saw('kamailio is up');
    return kamailio;
  }

  /** Resolves with the first line at or after `from` that contains this text. */
  saw(text: string, from = 0): Promise<string> {
    return this.log.until(`kamailio: ${text}`, (line) => line.includes(text), { from });
  }

  count(text: string): number {
    return this.log.all.filter((line) => line.includes(text)).length;
  }

  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) {
      await new Promise((resolve) => {
        this.#child.once('exit', resolve);
        this.#child.kill('SIGTERM');
      });
    }
    await rm(this.#directory, { recursive: true, force: true });
  }
}

function configurationOf({ address, port, routes, furtherRoutes = '' }: KamailioOptions): string {
  return kamailioConfiguration({
    parameters: ['debug=1', 'disable_tcp=yes', `listen=udp:${address}:${port}`],
    modules: ['uac'],
    settings: [
      'modparam("auth", "nonce_count", 0)',
      'modparam("uac", "restore_mode", "none")',
      'modparam("uac", "auth_realm_avp", "$avp(realm)")',
      'modparam("uac", "auth_username_avp", "$avp(username)")',
      'modparam("uac", "auth_password_avp", "$avp(password)")',
    ],
    routes,
    furtherRoutes,
  });
}
