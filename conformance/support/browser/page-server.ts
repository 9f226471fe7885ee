import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';

const forBrowser = { platform: 'browser', target: 'chrome120', logLevel: 'error' } as const;

/** Serves pages on loopback: `/<program>` is an empty page with one program of the folder `page`. */
export class PageServer {
  readonly #server: Server;
  readonly #bundles = new Map<string, Promise<string>>();
  /** Names of programs that are modules, with their text. */
  readonly #modules = new Map<string, string>();
  readonly #files = new Map<string, Uint8Array>();

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request.url ?? '/', response));
  }

  static async start(): Promise<PageServer> {
    const server = new PageServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** A secure context, as every page of loopback is: it has a microphone. `policy` is its Content-Security-Policy. */
  urlOf(program: string, policy = ''): string {
    const query = policy === '' ? '' : `?policy=${encodeURIComponent(policy)}`;
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${program}${query}`;
  }

  /** A program as one script; its exports are in the global `program`. */
  bundle(program: string): Promise<string> {
    let bundle = this.#bundles.get(program);
    if (bundle === undefined) {
      const source = this.#modules.get(program);
      bundle = source === undefined ? bundleOf(program) : bundleOfModule(source);
      this.#bundles.set(program, bundle);
    }
    return bundle;
  }

  /** Gives a program by its text: a module, which exports nothing to the test. */
  add(program: string, source: string): void {
    this.#modules.set(program, source);
  }

  /** Serves a file at a path with a folder, `/sounds/voice.wav`; returns its URL. */
  serve(path: string, bytes: Uint8Array): string {
    this.#files.set(path, bytes);
    return new URL(path, this.urlOf('')).href;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(target: string, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(target, 'http://page');
    const file = this.#files.get(pathname);
    if (file !== undefined) {
      // An AudioWorklet loads no script of another type.
      if (pathname.endsWith('.js')) response.setHeader('content-type', 'text/javascript');
      response.end(file);
      return;
    }
    const [, name = '', extension] = /^\/([a-z-]+)(\.js)?$/.exec(pathname) ?? [];
    if (name === '') {
      response.writeHead(404).end();
    } else if (extension === undefined) {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      const policy = searchParams.get('policy');
      if (policy !== null) response.setHeader('content-security-policy', policy);
      const type = this.#modules.has(name) ? ' type="module"' : '';
      response.end(`<!doctype html><title>${name}</title><script${type} src="/${name}.js"></script>`);
    } else {
      response.setHeader('content-type', 'text/javascript; charset=utf-8');
      response.end(await this.bundle(name));
    }
  }
}

async function bundleOf(program: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page', `${program}.ts`)],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'program',
    ...forBrowser,
  });
  return outputFiles[0]!.text;
}

async function bundleOfModule(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, loader: 'ts', resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    ...forBrowser,
  });
  return outputFiles[0]!.text;
}
