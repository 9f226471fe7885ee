import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { asteriskRoot, dialplan } from '../asterisk.ts';
import { cpuOfFamily } from '../measure.ts';
import { servePart } from '../part.ts';
import { endProgram, startProgram } from './peer-program.ts';
import type { PhoneAccount } from './phones.ts';

export interface AsteriskStart {
  readonly port: number;
  readonly accounts: readonly PhoneAccount[];
  /** The core of all its threads; any core when left out. */
  readonly core?: number;
}

/** Asterisk with PJSIP: phones with digest that call each other through it, a menu, and ConfBridge. */
const host = '127.0.0.1';
/** Outside those of the platform, of `mix` and of the phones. */
const rtpPorts = { first: 28_000, last: 31_999 };
const startMs = 30_000;
const root = asteriskRoot();
const directory = mkdtempSync(join(root, 'tmp/asterisk-bench-'));
const inside = join('/', directory.slice(root.length));
const main = join(inside, 'asterisk.conf');
let child: ChildProcess | undefined;

servePart({
  async start(order: AsteriskStart): Promise<void> {
    for (const name of ['run', 'data', 'spool', 'log/cdr-csv'])
      mkdirSync(join(directory, name), { recursive: true });
    for (const [name, text] of Object.entries(configurationOf(order)))
      writeFileSync(join(directory, name), text);
    child = startProgram(asterisk('-f', '-C', main), { core: order.core, stdio: 'ignore' });
    await isUp(child);
  },
  cpu: () => ({ cpuMs: cpuOfFamily(child!.pid!), atMs: performance.now() }),
  channels: () => Number(/(\d+) active channel/.exec(consoleOutput('core show channels count'))?.[1]),
  async stop() {
    await endProgram(child, 'SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  },
});

function asterisk(...options: readonly string[]): readonly string[] {
  return root === '/' ? ['asterisk', ...options] : ['chroot', root, 'asterisk', ...options];
}

function consoleOutput(order: string): string {
  const [program, ...options] = asterisk('-C', main, '-rx', order);
  return execFileSync(program!, options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

async function isUp(started: ChildProcess): Promise<void> {
  for (const end = performance.now() + startMs; performance.now() < end; await wait(100)) {
    if (started.exitCode !== null) break;
    try {
      if (consoleOutput('core waitfullybooted').includes('fully booted')) return;
    } catch {
      // It does not listen to its console yet.
    }
  }
  throw new Error(`asterisk did not start (${started.exitCode})`);
}

function configurationOf({ port, accounts }: AsteriskStart): Readonly<Record<string, string>> {
  return {
    'asterisk.conf': `[directories]
astetcdir => ${inside}
astmoddir => /usr/lib/x86_64-linux-gnu/asterisk/modules
astvarlibdir => /var/lib/asterisk
astdatadir => /usr/share/asterisk
astdbdir => ${inside}/data
astspooldir => ${inside}/spool
astrundir => ${inside}/run
astlogdir => ${inside}/log
[options]
verbose = 0
debug = 0
`,
    // A module without its file of configuration does not load.
    'modules.conf': '[modules]\nautoload = yes\nnoload = chan_iax2.so\nnoload = res_pjsip_notify.so\n',
    'logger.conf': '[general]\n[logfiles]\nmessages => error\n',
    // A record of each call, as ours has one.
    'cdr.conf': '[general]\nenable = yes\n[csv]\nusegmtime = yes\n',
    'rtp.conf': `[general]\nrtpstart = ${rtpPorts.first}\nrtpend = ${rtpPorts.last}\n`,
    'confbridge.conf': `[general]
[bridge]
type = bridge
internal_sample_rate = 8000
mixing_interval = 20
[user]
type = user
quiet = yes
dsp_drop_silence = no
jitterbuffer = no
`,
    'extensions.conf': `[phones]
exten => ${dialplan.menu},1,Answer()
 same => n,Read(keys,,1,,1,60)
 same => n,Hangup()
exten => _${dialplan.room}.,1,ConfBridge(\${EXTEN:${dialplan.room.length}},bridge,user)
exten => _.,1,Dial(PJSIP/\${EXTEN},30)
`,
    'pjsip.conf': `[udp]
type = transport
protocol = udp
bind = ${host}:${port}
${accounts.map(endpointOf).join('')}`,
  };
}

function endpointOf({ username, password }: PhoneAccount): string {
  return `[${username}]
type = endpoint
transport = udp
context = phones
disallow = all
allow = ulaw
direct_media = no
auth = ${username}
aors = ${username}
[${username}]
type = auth
auth_type = userpass
username = ${username}
password = ${password}
[${username}]
type = aor
max_contacts = 1
remove_existing = yes
`;
}
