import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleFile, ConsolePages } from '@jackfield/platform';
import type { Logger } from '@jackfield/ports';

/** The console of the published package, beside its `dist`. */
const packed = join(import.meta.dirname, '../console');
/** The program that builds the console of a clone; it prints the directory. */
const builder = join(import.meta.dirname, '../../console/build/build-console.ts');

/** The page has this text where its nonce goes. */
const nonceMark = '__NONCE__';

const contentTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

export interface OpenConsole extends ConsolePages {
  /** Ends a build that runs. */
  close(): void;
}

/**
 * The files of the console, kept in memory (200 KB). The published package has them; from a clone a child process builds them at the first
 * request, so that a server without a reader of its console spends nothing on it.
 */
export function createConsolePages({ log }: { readonly log: Logger }): OpenConsole {
  let built = existsSync(join(packed, 'index.html')) ? readBuilt(packed) : undefined;
  let failure: string | undefined;
  let child: ChildProcess | undefined;

  function build(): void {
    failure = undefined;
    log.info({}, 'console build started');
    const running = spawn(process.execPath, [builder], { stdio: ['ignore', 'pipe', 'pipe'] });
    child = running;
    let output = '';
    let errors = '';
    running.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    running.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    running.once('error', (error) => end(error.message));
    running.once('close', (code) => end(code === 0 ? undefined : errors.trim()));

    function end(fault: string | undefined): void {
      if (child !== running) return;
      child = undefined;
      try {
        if (fault !== undefined) throw new Error(fault);
        built = readBuilt(output.trim());
        log.info({ files: built.files.size }, 'console built');
      } catch (err) {
        failure = 'The log of the server says why.';
        log.error({ err }, 'console build failed');
      }
    }
  }

  return {
    state() {
      if (built !== undefined) return 'ready';
      if (failure !== undefined) return { problem: failure };
      if (child === undefined) build();
      return 'building';
    },
    file: (path) => built?.files.get(path),
    page: (nonce) => (built?.page ?? '').replaceAll(nonceMark, nonce),
    close() {
      const running = child;
      child = undefined;
      running?.kill();
    },
  };
}

interface Built {
  readonly page: string;
  readonly files: ReadonlyMap<string, ConsoleFile>;
}

function readBuilt(directory: string): Built {
  const files = new Map<string, ConsoleFile>();
  for (const name of readdirSync(join(directory, 'assets'))) {
    const contentType = contentTypes[name.split('.').at(-1) ?? ''];
    if (contentType === undefined) continue;
    const path = join(directory, 'assets', name);
    files.set(`assets/${name}`, {
      contentType,
      identity: readFileSync(path),
      gzip: readFileSync(`${path}.gz`),
      brotli: readFileSync(`${path}.br`),
    });
  }
  return { page: readFileSync(join(directory, 'index.html'), 'utf8'), files };
}
