import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import koffi from 'koffi';
import { authoritiesFile } from './npm-install.ts';

/** linux/sched.h. */
const CLONE_NEWNS = 0x0002_0000;
/** Podman's clean-up of an ended container refuses a longer path; `podman run` then waits 20 s more. */
const runRootLength = 50;
/** linux/capability.h. */
const CAP_SYS_RESOURCE = 24n;

/** Podman with images, containers and volumes of its own below a directory. */
export class Podman {
  /** For programs that use it, such as a shell. */
  readonly env: NodeJS.ProcessEnv;
  /** Of its service, which speaks Docker's protocol. */
  readonly socket: string;

  constructor(directory: string) {
    const runroot = join(directory, 'run');
    assert.ok(runroot.length <= runRootLength, `${runroot} is longer than podman allows`);
    mkdirSync(directory, { recursive: true });
    const file = (name: string, text: string, mode = 0o644) => {
      writeFileSync(join(directory, name), text, { mode });
      return join(directory, name);
    };
    const storage = { driver: 'overlay', graphroot: join(directory, 'storage'), runroot };
    const engine = {
      runtime: 'crun',
      events_logger: 'none',
      // Seconds for which a command of `exec` is remembered, by a process of its own: five minutes unless set.
      exit_command_delay: 1,
    };
    const sections = [
      // Containers in a namespace of the test need no groups of the machine, whose layout crun may refuse.
      section('containers', { cgroups: 'disabled' }),
      section('network', { network_config_dir: join(directory, 'networks') }),
      section('engine', engine),
    ];
    if (!mayRaiseLimits())
      sections.push(`[engine.runtimes]\ncrun = ["${file('crun', withoutLimits, 0o755)}"]\n`);
    this.socket = join(directory, 'socket');
    this.env = {
      ...process.env,
      CONTAINERS_STORAGE_CONF: file('storage.conf', section('storage', storage)),
      CONTAINERS_CONF: file('containers.conf', sections.join('')),
      // systemd, which would start health checks at their intervals, is no part of this machine: the test starts them.
      DISABLE_HC_SYSTEMD: 'true',
      // A build runs its commands in the network of the machine, where the registry of npm is.
      BUILDAH_ISOLATION: 'chroot',
    };
  }

  run(...args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync('podman', args, { encoding: 'utf8', env: this.env });
    assert.equal(status, 0, `podman ${args.join(' ')}: ${stdout}${stderr}`);
    return stdout.trim();
  }

  /** An image with one layer: what is in the directory. `changes` are instructions of a Containerfile. */
  importImage(directory: string, name: string, changes: readonly string[] = []): void {
    const options = changes.flatMap((change) => ['--change', change]);
    const command = 'directory=$1; shift; tar -C "$directory" -c . | podman import --quiet "$@"';
    const { status, stderr } = spawnSync('sh', ['-c', command, 'sh', directory, ...options, '-', name], {
      encoding: 'utf8',
      env: this.env,
    });
    assert.equal(status, 0, stderr);
  }
}

/** What gives a build the cache of npm and the authorities of this machine: variables of the base image, and volumes. */
export function npmOfBuild(): { readonly variables: readonly string[]; readonly volumes: readonly string[] } {
  const variables = ['npm_config_cache=/npm-cache', 'npm_config_prefer_offline=true'];
  const volumes = [`${join(homedir(), '.npm')}:/npm-cache`];
  const authorities = authoritiesFile();
  if (authorities !== undefined) {
    volumes.push(`${dirname(authorities)}:/npm-authorities:ro`);
    variables.push(`npm_config_cafile=/npm-authorities/${basename(authorities)}`);
  }
  return { variables, volumes };
}

/**
 * Gives the programs that this process starts from now on mounts of their own. In them the machine has no control groups: crun refuses the old
 * ones beside the new ones, and a directory that is neither. And podman's networks have no containers yet: netavark has one list of them for
 * all storages of the machine, and a container that a killed run left in it keeps aardvark-dns alive behind each later run.
 */
export function enterOwnMounts(): void {
  const networks = '/run/containers/networks';
  mkdirSync(networks, { recursive: true });
  assert.equal(koffi.load('libc.so.6').func('int unshare(int)')(CLONE_NEWNS), 0);
  for (const words of [
    ['--make-rprivate', '/'],
    ['-t', 'tmpfs', 'none', '/sys/fs/cgroup'],
    ['-t', 'tmpfs', 'none', networks],
  ]) {
    const { status, stderr } = spawnSync('mount', words, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  }
}

function mayRaiseLimits(): boolean {
  const [, effective = '0'] = /^CapEff:\s+(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return ((BigInt(`0x${effective}`) >> CAP_SYS_RESOURCE) & 1n) === 1n;
}

/** In TOML. */
function section(name: string, values: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  return `[${name}]\n${lines.join('')}`;
}

/** Starts crun without the limits of a container (`ulimits`, and podman's own), which this machine lets no process raise. */
const withoutLimits = `#!/bin/sh
for word; do
  case "\${before-}" in
    --bundle) file=$word/config.json ;;
    --process) file=$word ;;
  esac
  before=$word
done
[ -z "\${file-}" ] || ${process.execPath} -e '
const { readFileSync, writeFileSync } = require("fs");
const config = JSON.parse(readFileSync(process.argv[1], "utf8"));
(config.process ?? config).rlimits = [];
writeFileSync(process.argv[1], JSON.stringify(config));
' "$file"
exec /usr/bin/crun "$@"
`;
