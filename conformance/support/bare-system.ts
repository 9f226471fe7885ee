import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What npm, the build of the container image and the commands of its pages start, besides Node. */
const programs = ['sh', 'env', 'rm', 'mkdir', 'find', 'chown', 'ln', 'cat'];

/** False where this process may mount; otherwise the reason with which what needs that is left out. */
export function noMounts(): false | string {
  const { status } = spawnSync('unshare', ['--mount', 'sh', '-c', 'mount -t tmpfs none /mnt']);
  return status === 0 ? false : 'may not mount';
}

/** Fills a directory with this Node, npm, a shell and what they load, and nothing else: instead of an image of a registry. */
export function bareSystem(directory: string, node: string): string {
  const copy = copierInto(directory);
  addProgram(copy, node, '/usr/bin/node');
  for (const name of programs) addProgram(copy, whereIs(name), `/usr/bin/${name}`);
  copy(whereIs('sh'), '/bin/sh');
  const program = execFileSync('npm', ['exec', '-c', 'echo $npm_execpath'], { encoding: 'utf8' }).trim();
  copy(join(program, '../..'), '/usr/lib/node_modules/npm');
  for (const [command, file] of [
    ['npm', 'npm-cli.js'],
    ['npx', 'npx-cli.js'],
  ]) {
    const script = `#!/bin/sh\nexec node /usr/lib/node_modules/npm/bin/${file} "$@"\n`;
    writeFileSync(join(directory, `usr/bin/${command}`), script, { mode: 0o755 });
  }
  for (const name of ['tmp', 'etc', 'var/lib', 'root', 'proc', 'dev', 'sys', 'usr/local/bin'])
    mkdirSync(join(directory, name), { recursive: true });
  for (const name of ['passwd', 'nsswitch.conf']) copy(`/etc/${name}`);
  return directory;
}

/** Copies a file or a directory of this system to its path, or to another one, below a directory. */
export function copierInto(directory: string): (from: string, to?: string) => void {
  return (from, to = from) => {
    mkdirSync(dirname(join(directory, to)), { recursive: true });
    cpSync(realpathSync(from), join(directory, to), { recursive: true });
  };
}

/** Copies a program and the libraries that it loads. */
export function addProgram(copy: ReturnType<typeof copierInto>, path: string, to = path): void {
  copy(path, to);
  for (const [library] of execFileSync('ldd', [path], { encoding: 'utf8' }).matchAll(/\/\S+\.so\S*/g))
    copy(library);
}

export function whereIs(program: string): string {
  return execFileSync('which', [program], { encoding: 'utf8' }).trim();
}
