import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * `npm run example phone`: a page with a phone, for the server that `npm start` runs. It needs the two variables that
 * `npm start` prints, creates an endpoint, serves the page on this machine, and deletes the endpoint at its end.
 */
const { JACKFIELD: base = '', AUTH: auth = '' } = process.env;
if (base === '' || auth === '') {
  process.stderr.write(
    'JACKFIELD and AUTH are not set: paste the line `export JACKFIELD=… AUTH=…` that `npm start` prints, and start this again.\n',
  );
  process.exit(2);
}
const password = crypto.randomUUID();
const { username, endpoint_id: endpoint } = await api('POST', 'Endpoint/', {
  username: 'page',
  password,
  alias: 'page',
});
const { protocol, hostname, host } = new URL(base);
const account = JSON.stringify({
  url: `${protocol.replace('http', 'ws')}//${host}/sip`,
  username,
  password,
  domain: hostname,
});
const folder = join(import.meta.dirname, '../../packages/voice-sdk/examples/page');
const page = readFileSync(join(folder, 'index.html'));
const { resolve } = createRequire(join(folder, 'phone.ts'));
const library = (file: string) => readFileSync(resolve(`@sapphi-red/web-noise-suppressor/${file}`));
/** What the page asks for; any other path is the page itself. */
const files: Readonly<Record<string, readonly [type: string, body: Uint8Array | string]>> = {
  '/account': ['application/json', account],
  '/rnnoise-worklet.js': ['text/javascript', library('rnnoiseWorklet.js')],
  '/rnnoise.wasm': ['application/wasm', library('rnnoise.wasm')],
};
const { outputFiles } = await build({
  entryPoints: [join(folder, 'phone.ts')],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
});
const program = outputFiles[0]!.contents;

const server = createServer(({ url }, response) => {
  const [type, body] =
    url === '/phone.js'
      ? ['text/javascript', program]
      : (files[url ?? ''] ?? ['text/html; charset=utf-8', page]);
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
});
// Localhost is a secure context: the page may use the microphone.
await new Promise<void>((resolve) => server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', resolve));
const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
process.stdout.write(`A page with a phone: ${at}\nIts username is ${username}. Ctrl-C ends it.\n`);
if (process.stdout.isTTY) openBrowser(at);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end());

/** Opens the page as far as this machine has a command for that. */
function openBrowser(target: string): void {
  const command = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  const child = spawn(command, [target], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

async function end(): Promise<void> {
  server.closeAllConnections();
  server.close();
  await api('DELETE', `Endpoint/${endpoint}/`);
}

async function api(method: string, path: string, body?: object): Promise<Record<string, string>> {
  const answer = await fetch(`${base}/${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(auth).toString('base64')}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, string>);
}
