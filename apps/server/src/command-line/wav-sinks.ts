import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import { explainWriting } from '../write-faults.ts';
import { CommandFailure } from './command.ts';

/** What a WAV file is written to, from its beginning on. */
export interface WavSink {
  write(bytes: Buffer): void;
  /** The file is complete: a file gets the header with its length; resolves when everything is written, or played. */
  finish(header: Buffer): Promise<void>;
  /** Nothing came: a new file goes away. Not after `finish`. */
  discard(): void;
}

/** Four minutes of both sides at 16 kHz, in memory while a reader pauses. */
const mostWaitingBytes = 16 * 1024 * 1024;

/** Writes to a stream whose reader may pause; beyond the limit audio is left out, and `name` says so once. */
function paced(stream: Writable, name: string): (bytes: Buffer) => void {
  let isLate = false;
  return (bytes) => {
    if (stream.writableLength + bytes.length <= mostWaitingBytes) stream.write(bytes);
    else if (!isLate) {
      isLate = true;
      process.stderr.write(`${name} is not read: audio is left out\n`);
    }
  };
}

/** Standard output that is a pipe: a write to its descriptor would fail while it is full. */
function pipeSink(): WavSink {
  const { stdout } = process;
  let failure: Error | undefined;
  stdout.on('error', (error) => {
    failure ??= error;
  });
  const write = paced(stdout, 'standard output');
  return {
    write(bytes) {
      if (failure !== undefined) throw failure;
      write(bytes);
    },
    async finish() {
      // Behind all audio, or without a reader.
      if (failure === undefined) await new Promise<void>((resolve) => stdout.write('', () => resolve()));
    },
    discard() {},
  };
}

/** A file that can be played while it grows; `-` is standard output. An older file stays as it was until the server has connected. */
export function fileSink(path: string): WavSink {
  const isOutput = path === '-';
  if (isOutput && isPipe(process.stdout.fd)) return pipeSink();
  const isNew = !isOutput && !existsSync(path);
  const file = isOutput ? process.stdout.fd : opened(path);
  let isBegun = isOutput;
  return {
    write(bytes) {
      if (!isBegun && statOf(file).isFile) ftruncateSync(file);
      isBegun = true;
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    },
    async finish(header) {
      if (isOutput) return;
      const { isFile, size } = statOf(file);
      if (isFile && size > 0) {
        writeSync(file, header, 0, header.length, 0);
        // A write that failed may have left a part of a sample.
        ftruncateSync(file, Math.min(size, header.length + header.readUInt32LE(40)));
      }
      closeSync(file);
    },
    discard() {
      if (isOutput) return;
      const { isFile } = statOf(file);
      closeSync(file);
      if (isFile && isNew) rmSync(path, { force: true });
    },
  };
}

function opened(path: string): number {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  } catch (error) {
    throw new CommandFailure(`--output: ${explainWriting(error, path) ?? (error as Error).message}.`);
  }
}

function isPipe(file: number): boolean {
  const stats = fstatSync(file);
  return stats.isFIFO() || stats.isSocket();
}

function statOf(file: number): { readonly isFile: boolean; readonly size: number } {
  const stats = fstatSync(file);
  return { isFile: stats.isFile(), size: stats.size };
}

/** A program and its arguments. */
export type Player = readonly [string, ...string[]];

/** Programs that play a WAV file from their standard input, whose header does not say where it ends. */
const players: readonly Player[] = [
  ['aplay', '-q', '-'],
  ['ffplay', '-autoexit', '-nodisp', '-loglevel', 'error', '-i', '-'],
  ['play', '-q', '--ignore-length', '-t', 'wav', '-'],
];

/** The first of these programs in the directories of `path`; fails without any. */
export function findPlayer(path = ''): Player {
  const found = players.find(([name]) => isInstalled(name, path));
  if (found !== undefined) return found;
  const names = 'aplay (alsa-utils), ffplay (ffmpeg) or play (sox)';
  throw new CommandFailure(`--play finds no player: install ${names}, or write a file with --output.`);
}

/** The loudspeaker of this machine. */
export function playerSink([name, ...args]: Player): WavSink {
  const player = spawn(name, args, { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(player, 'close');
  // A player that ends early says why itself; the call goes on.
  player.stdin.on('error', () => undefined);
  ended.catch(() => undefined);
  return {
    write: paced(player.stdin, name),
    async finish() {
      player.stdin.end();
      await ended;
    },
    discard: () => void player.stdin.end(),
  };
}

function isInstalled(name: string, path: string): boolean {
  return path.split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
