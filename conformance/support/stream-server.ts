import type { ChildProcessByStdio } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fromLinear, fromMulaw } from '@jackfield/stream-kit';
import { spawnBound } from './bound-child.ts';
import type { Sound } from './heard.ts';
import { eachLine, Happenings } from './lines.ts';

/** Reports of the server: a requested upgrade, a connection, a frame, an end. */
export interface StreamHappening {
  readonly type: 'listening' | 'asked' | 'connected' | 'frame' | 'binary' | 'closed';
  readonly port?: number;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connection?: number;
  readonly code?: number;
  // biome-ignore lint/suspicious/noExplicitAny: frames as they came
  readonly frame?: any;
}

/** A customer's server of audio streams, in Python with its standard library alone. */
export class StreamServer {
  readonly happened: Happenings<StreamHappening>;
  readonly port: number;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;

  private constructor(
    child: ChildProcessByStdio<Writable, Readable, null>,
    happened: Happenings<StreamHappening>,
    port: number,
  ) {
    this.#child = child;
    this.happened = happened;
    this.port = port;
  }

  static async start(): Promise<StreamServer> {
    const script = join(import.meta.dirname, 'stream-server.py');
    const child = spawnBound('python3', ['-u', script], { stdio: ['pipe', 'pipe', 'inherit'] });
    const happened = new Happenings<StreamHappening>();
    eachLine(child.stdout, (line) => happened.add(JSON.parse(line) as StreamHappening));
    child.once('exit', () => happened.close('the server has ended'));
    const { port } = await happened.until('the server listens', ({ type }) => type === 'listening');
    return new StreamServer(child, happened, port ?? 0);
  }

  url(path: string): string {
    return `ws://127.0.0.1:${this.port}${path}`;
  }

  /** The number of the next connection to this path, from the happening of this number on. */
  async connected(path: string, from = 0): Promise<number> {
    const found = await this.happened.until(
      `a connection to ${path}`,
      (each) => each.type === 'connected' && each.path === path,
      { from },
    );
    return found.connection ?? -1;
  }

  // biome-ignore lint/suspicious/noExplicitAny: frames as they came
  async frame(connection: number, event: string, matches = (_frame: any) => true): Promise<any> {
    const found = await this.happened.until(
      `a frame ${event}`,
      (each) =>
        each.type === 'frame' &&
        each.connection === connection &&
        each.frame.event === event &&
        matches(each.frame),
    );
    return found.frame;
  }

  /** Resolves when this number of media frames has come. */
  async heard(connection: number, frames: number): Promise<void> {
    let missing = frames;
    await this.happened.until(`${frames} frames of media`, (each) => {
      if (each.type === 'frame' && each.connection === connection && each.frame.event === 'media') missing--;
      return missing <= 0;
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: frames as they came
  frames(connection: number): readonly any[] {
    return this.happened.all.flatMap((each) =>
      each.type === 'frame' && each.connection === connection ? [each.frame] : [],
    );
  }

  /** What a track carried, decoded by the format of the start frame. */
  sound(connection: number, track: string): Sound {
    const frames = this.frames(connection);
    const { encoding, sampleRate } = frames[0].start.mediaFormat;
    const bytes = Buffer.concat(
      frames
        .filter(({ event, media }) => event === 'media' && media.track === track)
        .map(({ media }) => Buffer.from(media.payload, 'base64')),
    );
    const samples = encoding === 'audio/x-mulaw' ? fromMulaw(bytes) : fromLinear(bytes);
    return { sampleRate, samples };
  }

  async closed(connection: number): Promise<number> {
    const found = await this.happened.until(
      `the end of connection ${connection}`,
      (each) => each.type === 'closed' && each.connection === connection,
    );
    return found.code ?? 0;
  }

  say(connection: number, frame: object): void {
    this.#obey({ do: 'say', connection, frame });
  }

  close(connection: number, code: number): void {
    this.#obey({ do: 'close', connection, code });
  }

  cut(connection: number): void {
    this.#obey({ do: 'cut', connection });
  }

  async stop(): Promise<void> {
    this.#child.kill();
    await once(this.#child, 'exit');
  }

  #obey(order: object): void {
    this.#child.stdin.write(`${JSON.stringify(order)}\n`);
  }
}

/** Whether a signature in the list is that of this URL, as the SDKs of the hosted service check it. */
export function isSigned(
  headers: Readonly<Record<string, string>>,
  prefix: string,
  url: string,
  token: string,
): boolean {
  const header = (name: string) => headers[`${prefix}${name}`.toLowerCase()] ?? '';
  const expected = createHmac('sha256', token)
    .update(`${url}.${header('Signature-V3-Nonce')}`)
    .digest('base64');
  return header('Signature-V3').split(',').includes(expected);
}
