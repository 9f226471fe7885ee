import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { bareSystem, noMounts } from './support/bare-system.ts';
import { spawnBound } from './support/bound-child.ts';
import { missing } from './support/installed.ts';
import { eachLine, Happenings } from './support/lines.ts';
import { authoritiesFile } from './support/npm-install.ts';
import { freePort, rtpRange } from './support/ports.ts';
import { blocksRunBy } from './support/snippets.ts';

const root = join(import.meta.dirname, '..');

const refusal = process.getuid?.() === 0 ? missing('buildah', 'ldd', 'npm') || noMounts() : 'needs root';

describe('the container image', { skip: refusal, timeout: 600_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'container-'));
  const image = 'localhost/jackfield';
  let container: string;

  const command = blocksRunBy('docs/operate/containers.md', import.meta.filename)
    .map(({ text }) => text)
    .join('');

  const storage = ['--root', join(directory, 'storage'), '--runroot', join(directory, 'run')];

  function buildah(...args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync('buildah', [...storage, ...args], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, BUILDAH_ISOLATION: 'chroot' },
      maxBuffer: 64 * 1024 * 1024,
    });
    assert.equal(status, 0, `buildah ${args.join(' ')}: ${stdout}${stderr}`);
    return stdout.trim();
  }

  after(() => {
    buildah('rm', '--all');
    rmSync(directory, { recursive: true, force: true });
  });

  it('is built from the packed server, on a base with Node 24', () => {
    const context = join(directory, 'context');
    const pack = [join(root, 'tools/publish/pack.ts'), '--into', join(context, 'dist'), 'jackfield'];
    execFileSync(process.execPath, pack, { cwd: root });
    cpSync(join(root, 'deploy'), join(context, 'deploy'), { recursive: true });
    cpSync(join(root, '.containerignore'), join(context, '.containerignore'));
    const base = buildah('from', 'scratch');
    bareSystem(buildah('mount', base), process.execPath);
    buildah('umount', base);
    buildah('commit', base, 'localhost/node24');
    const options = ['--build-arg', 'NODE_IMAGE=localhost/node24', '--pull=false', '--format', 'docker'];
    const volumes = ['--volume', `${join(homedir(), '.npm')}:/npm-cache`];
    const npm = ['--prefer-offline', '--cache=/npm-cache'];
    const authorities = authoritiesFile();
    if (authorities !== undefined) {
      volumes.push('--volume', `${dirname(authorities)}:/npm-authorities:ro`);
      npm.push(`--cafile=/npm-authorities/${basename(authorities)}`);
    }
    options.push('--build-arg', `NPM_OPTIONS=${npm.join(' ')}`);
    // podman is no program of CI: buildah builds the file that the page names.
    const [, shown = ''] = / -f (\S+) /.exec(command) ?? assert.fail(command);
    const file = join(context, shown);
    buildah('build', ...options, ...volumes, '-t', image, '-f', file, context);
    container = buildah('from', '--pull=false', image);
  });

  it('runs the server as a user without rights, drains at a signal, and has a health check', () => {
    const { Docker: built } = JSON.parse(buildah('inspect', '--type', 'image', image)) as {
      readonly Docker: { readonly config: Readonly<Record<string, unknown>> };
    };
    const { User, Entrypoint, Cmd, StopSignal, Healthcheck } = built.config;
    assert.deepEqual(
      { User, Entrypoint, Cmd, StopSignal },
      {
        User: '10001:10001',
        Entrypoint: ['/opt/jackfield/node_modules/.bin/jackfield'],
        Cmd: ['start'],
        StopSignal: 'SIGTERM',
      },
    );
    assert.deepEqual((Healthcheck as { readonly Test: unknown }).Test, [
      'CMD',
      'node',
      '/opt/jackfield/health-check.mjs',
    ]);
  });

  it('gives its user one directory, has no Node for older systems, and what certificates need', () => {
    const files = buildah('run', container, '--', 'node', '-e', listOwned).split('\n');
    assert.deepEqual(files, ['/var/lib/jackfield']);
  });

  it('answers its health check while the server runs', async () => {
    const { first, last } = rtpRange();
    // What the page gives to the container.
    const shown = [...command.matchAll(/ -e (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]);
    assert.equal(shown.length, 2);
    const env = {
      ...Object.fromEntries(shown),
      JACKFIELD_HTTP_PORT: String(await freePort()),
      JACKFIELD_HTTP_HOST: '127.0.0.1',
      JACKFIELD_SIP_HOST: '127.0.0.1',
      JACKFIELD_SIP_PORT: '0',
      JACKFIELD_WEBRTC_PORT: 'off',
      JACKFIELD_RTP_PORTS: `${first}-${last}`,
    };
    const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const check = ['run', ...variables, container, '--', 'node', '/opt/jackfield/health-check.mjs'];
    const start = [
      'run',
      ...variables,
      container,
      '--',
      '/opt/jackfield/node_modules/.bin/jackfield',
      'start',
    ];
    const isolated = { ...process.env, BUILDAH_ISOLATION: 'chroot' };
    assert.equal(spawnSync('buildah', [...storage, ...check], { env: isolated }).status, 1);
    const log = new Happenings<string>();
    const child = spawnBound('buildah', [...storage, ...start], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: isolated,
    });
    const closed = once(child, 'close');
    eachLine(child.stdout!, (line) => log.add(line));
    eachLine(child.stderr!, (line) => log.add(line));
    await log.until('the start', (line) => line.includes('Jackfield is ready'), { limitMs: 60_000 });
    const { status, stderr } = spawnSync('buildah', [...storage, ...check], { env: isolated });
    assert.equal(status, 0, String(stderr));
    const server = nodeBelow(child.pid!);
    await assertProbed(`http://127.0.0.1:${env.JACKFIELD_HTTP_PORT}`, server);
    // buildah would kill the server; the process manager of a container sends it a signal.
    process.kill(server, 'SIGTERM');
    await closed;
    assert.ok(log.all.at(-1)?.includes('Jackfield has ended'), log.all.join('\n'));
  });
});

/** The probes of the objects for Kubernetes succeed at this server, which needs less memory than they request for it. */
async function assertProbed(url: string, server: number): Promise<void> {
  const [, , deployment] = parseAllDocuments(
    readFileSync(join(root, 'deploy/kubernetes/jackfield.yaml'), 'utf8'),
  );
  const [container] = deployment!.toJS().spec.template.spec.containers;
  const { startupProbe, livenessProbe, readinessProbe, resources } = container;
  for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe])
    assert.equal((await fetch(url + httpGet.path)).status, 200, httpGet.path);
  const [, used] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server}/status`, 'utf8')) ?? [];
  const [, requested] = /^(\d+)Mi$/.exec(resources.requests.memory) ?? [];
  assert.ok(Number(used) < Number(requested) * 1024, `${used} kB`);
}

/** The Node process among the descendants of a process (proc_pid_task(5)). */
function nodeBelow(pid: number): number {
  const waiting = [pid];
  for (const next of waiting) {
    const [program] = readFileSync(`/proc/${next}/cmdline`, 'utf8').split('\0');
    if (program === 'node') return next;
    for (const thread of readdirSync(`/proc/${next}/task`)) {
      const children = readFileSync(`/proc/${next}/task/${thread}/children`, 'utf8').trim();
      if (children !== '') waiting.push(...children.split(' ').map(Number));
    }
  }
  return assert.fail(`no Node below process ${pid}`);
}

/** Prints every file that user 10001 owns. */
const listOwned = `
const { readdirSync, lstatSync } = require('fs');
const look = (path) => {
  const stat = lstatSync(path);
  if (stat.uid === 10001) console.log(path);
  if (stat.isDirectory()) for (const name of readdirSync(path)) look(path === '/' ? '/' + name : path + '/' + name);
};
for (const path of ['/opt', '/var', '/usr', '/bin']) look(path);
const modules = '/opt/jackfield/node_modules';
if (readdirSync(modules).some((name) => /^node-(linux|win)/.test(name))) console.log('another Node');
// It needs node-forge, whose name begins as those of another Node do.
require(modules + '/acme-client');
`;
