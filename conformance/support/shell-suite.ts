import assert from 'node:assert/strict';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { spawnBound } from './bound-child.ts';
import { cleanUp } from './clean-up.ts';
import { compileCache } from './compile-cache.ts';
import { PlatformProcess } from './platform-process.ts';
import { serverMain } from './server-main.ts';

/** A platform, and a directory in which a user runs `jackfield …`. */
export interface ShellSuite {
  readonly platform: PlatformProcess;
  readonly directory: string;
  /** What `jackfield dev` prints for a user's shell; with another address of the API when one is given. */
  pasted(url?: string): { readonly JACKFIELD: string; readonly AUTH: string };
  /** Runs `jackfield …` with a home directory and these variables alone. */
  jackfield(args: readonly string[], variables: NodeJS.ProcessEnv, stdio: StdioOptions): ChildProcess;
}

/** For the tests of the suite that calls this. */
export function shellSuite(): ShellSuite {
  let platform: PlatformProcess | undefined;
  let directory = '';
  const started = () => platform ?? assert.fail('the suite starts before its first test');

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jackfield-'));
    platform = await PlatformProcess.start();
  });

  after(() =>
    cleanUp(
      () => platform?.stop(),
      () => rm(directory, { recursive: true, force: true }),
    ),
  );

  return {
    get platform() {
      return started();
    },
    get directory() {
      return directory;
    },
    pasted(url = started().httpUrl) {
      const { authId, authToken } = started();
      return { JACKFIELD: `${url}/v1/Account/${authId}`, AUTH: `${authId}:${authToken}` };
    },
    jackfield: (args, variables, stdio) =>
      spawnBound(process.execPath, [serverMain, ...args], {
        cwd: directory,
        env: {
          PATH: process.env.PATH,
          ...compileCache,
          XDG_CONFIG_HOME: join(directory, 'settings'),
          ...variables,
        },
        stdio,
      }),
  };
}
