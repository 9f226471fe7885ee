import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** As in a user's shell: without the programs of the workspace. The Node of the system may be older than 24. */
export const shellPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((each) => !each.includes('node_modules'))
  .join(delimiter);

/** {@link shellPath} behind the Node that runs this test. */
export const pathOfThisNode = [join(process.execPath, '..'), shellPath].join(delimiter);

/**
 * The file of certificate authorities behind which this machine reaches the registry, if it needs one. npm reads its
 * configuration beside its Node: under another Node, or in a container, it would not find the authorities of the machine.
 */
export function authoritiesFile(): string | undefined {
  const { NODE_EXTRA_CA_CERTS } = process.env;
  if (NODE_EXTRA_CA_CERTS !== undefined) return NODE_EXTRA_CA_CERTS;
  const env = { PATH: shellPath, HOME: process.env.HOME };
  const { stdout } = spawnSync('npm', ['config', 'get', 'cafile'], {
    cwd: tmpdir(),
    encoding: 'utf8',
    env,
  });
  const file = stdout.trim();
  return file === 'null' || file === '' ? undefined : file;
}

/**
 * Runs `npm install` in a directory as a user's shell does, under the Node of this test.
 * Ends npm after two and a half minutes: without a registry it waits for longer than the runner waits for a test.
 */
export function npmInstall(directory: string, ...packages: readonly string[]) {
  const authorities = authoritiesFile();
  const options = ['--prefer-offline', '--no-audit', '--no-fund'];
  if (authorities !== undefined) options.push(`--cafile=${authorities}`);
  return spawnSync('npm', ['install', ...options, ...packages], {
    cwd: directory,
    encoding: 'utf8',
    env: { PATH: pathOfThisNode, HOME: process.env.HOME },
    timeout: 150_000,
  });
}
