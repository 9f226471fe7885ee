#!/usr/bin/env node
// Plain JavaScript, which every Node since 14.8 reads: starts the server, whose TypeScript needs Node 24, or says what to do.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as modules from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = new URL('../src/main.ts', import.meta.url);

if (Number(process.versions.node.split('.')[0]) >= 24) {
  keepCompiled();
  await import(main.href);
} else startWith(installedNode());

/**
 * Node keeps sources without types, and their bytecode, in this directory. Without it each thread loads the compiler of types, 15 MB, and the
 * start takes longer. Where the directory cannot be written, nothing is kept.
 */
function keepCompiled() {
  // Node passes the variable to the media thread and the recorder's thread.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/jackfield', import.meta.url));
  modules.enableCompileCache(process.env.NODE_COMPILE_CACHE);
}

/** The Node 24 that npm installs beside the server: the package `node` in a clone, the package of the platform elsewhere. */
function installedNode() {
  const isWindows = process.platform === 'win32';
  const ofPlatform = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
  for (const name of ['node', ofPlatform]) {
    try {
      const directory = dirname(modules.createRequire(import.meta.url).resolve(`${name}/package.json`));
      const file = join(directory, 'bin', isWindows ? 'node.exe' : 'node');
      if (existsSync(file)) return file;
    } catch {
      // Not installed.
    }
  }
  return undefined;
}

function startWith(node) {
  if (node === undefined) {
    process.stderr.write(
      `Jackfield needs Node.js 24, not ${process.version}: run npm ci in its directory, which installs that version beside it, or start it with a Node.js of that version.\n`,
    );
    process.exit(1);
  }
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], {
    stdio: 'inherit',
    // A group of its own: a terminal's Ctrl-C would reach it twice, and a second signal ends it at once.
    detached: process.platform !== 'win32',
    // It ends when this process ends, as it does with npm.
    env: { npm_command: 'exec', ...process.env },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', ({ message }) => {
    process.stderr.write(`${node} could not be started: ${message}\n`);
    process.exit(1);
  });
  child.on('exit', (code) => process.exit(code ?? 1));
}
