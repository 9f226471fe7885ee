import { type ChildProcess, execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kamailioConfiguration } from '@jackfield/testkit/kamailio';
import { servePart } from '../part.ts';
import { endProgram, startProgram } from './peer-program.ts';

export interface KamailioStart {
  readonly realm: string;
  readonly password: string;
  /** The core of all its processes; any core when left out. */
  readonly core?: number;
}

/** Debian's Kamailio: a registrar with digest and locations in memory, and a stateful proxy, in one worker process. */
const directory = mkdtempSync(join(tmpdir(), 'kamailio-bench-'));
const control = join(directory, 'control');
let child: ChildProcess | undefined;

servePart({
  async start(order: KamailioStart): Promise<{ readonly port: number }> {
    const port = await freePort();
    const file = join(directory, 'kamailio.cfg');
    writeFileSync(file, configurationOf(order, port));
    const command = [
      'kamailio',
      '-f',
      file,
      '-DD',
      '-E',
      '-Y',
      directory,
      '-w',
      directory,
      '-m',
      '1024',
      '-M',
      '16',
    ];
    child = startProgram(command, { core: order.core, stdio: ['ignore', 'ignore', 'pipe'] });
    await isUp(child);
    return { port };
  },
  cpu: () => ({ cpuMs: sum(processes().map(cpuMsOf)), atMs: performance.now() }),
  /** Used bytes of its shared memory, which holds the locations; the memory of calls is free again. */
  memory: () => ({ kept: answerOf('core.shmmem', 'used') }),
  transactions: () => answerOf('tm.stats', 'current'),
  async stop() {
    await endProgram(child, 'SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  },
});

async function isUp(started: ChildProcess): Promise<void> {
  let written = '';
  await new Promise<void>((resolve, reject) => {
    started.once('error', reject);
    started.once('exit', (code) => reject(new Error(`kamailio has ended (${code}): ${written}`)));
    started.stderr!.setEncoding('utf8').on('data', (text: string) => {
      // It logs for its whole run; only the start matters.
      if (written.length < 100_000) written += text;
      if (written.includes('kamailio is up')) resolve();
    });
  });
}

/** UDP and TCP use one port; a free UDP port is taken to be free for TCP too. */
async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  const closed = once(socket, 'close');
  socket.close();
  await closed;
  return port;
}

/** The main process and all its descendants. */
function processes(): readonly number[] {
  const found: number[] = [];
  const waiting = child?.pid === undefined ? [] : [child.pid];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    found.push(pid);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    if (children !== '') waiting.push(...children.split(' ').map(Number));
  }
  return found;
}

/** The first number is nanoseconds on a core; each process is one thread. Ticks of 10 ms would be too coarse. */
function cpuMsOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** Queries this value from Kamailio. */
function answerOf(question: string, value: string): number {
  const answer = execFileSync('kamcmd', ['-s', `unix:${control}`, question], { encoding: 'utf8' });
  const found = new RegExp(`\\b${value}: (\\d+)`).exec(answer);
  if (found === null) throw new Error(`${question} has no ${value}: ${answer}`);
  return Number(found[1]);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function configurationOf(start: KamailioStart, port: number): string {
  return kamailioConfiguration({
    parameters: [
      'debug=0',
      'tcp_children=1',
      'tcp_connection_lifetime=3600',
      `listen=udp:127.0.0.1:${port}`,
      `listen=tcp:127.0.0.1:${port}`,
    ],
    modules: ['ctl'],
    settings: [
      `modparam("ctl", "binrpc", "unix:${control}")`,
      'modparam("registrar", "max_contacts", 10)',
      'modparam("usrloc", "db_mode", 0)',
      // As many slots as its manual allows: with the 1,024 that it has by itself, 100,000 bindings are searched through.
      'modparam("usrloc", "hash_size", 16)',
      'modparam("auth", "nonce_count", 1)',
      'modparam("auth", "qop", "auth")',
      'modparam("auth", "nonce_expire", 600)',
      'modparam("auth", "nid_pool_no", 1)',
      'modparam("auth", "nc_array_size", 1048576)',
    ],
    routes: routesOf(start),
  });
}

function routesOf({ realm, password }: KamailioStart): string {
  return `  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  if (has_totag()) {
    if (loose_route()) { t_relay(); exit; }
    if (is_method("ACK")) { if (t_check_trans()) { t_relay(); } exit; }
    sl_send_reply("404", "Not here");
    exit;
  }
  if (is_method("CANCEL")) { if (t_check_trans()) { t_relay(); } exit; }
  if (is_method("ACK")) { t_check_trans(); exit; }
  t_check_trans();
  if (is_method("REGISTER")) {
    if (!pv_www_authenticate("${realm}", "${password}", "0")) { www_challenge("${realm}", "1"); exit; }
    save("location");
    exit;
  }
  if (!is_method("INVITE")) { sl_send_reply("405", "Method Not Allowed"); exit; }
  if (!pv_proxy_authenticate("${realm}", "${password}", "0")) { proxy_challenge("${realm}", "1"); exit; }
  consume_credentials();
  if (!lookup("location")) { sl_send_reply("404", "Not Found"); exit; }
  record_route();
  t_relay();`;
}
