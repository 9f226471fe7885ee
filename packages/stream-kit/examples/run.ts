import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type StreamSession, serveStreams } from '@jackfield/stream-kit';
import { echo } from './echo.ts';
import { parrot } from './parrot.ts';

/**
 * `npm run example echo` or `npm run example parrot`: starts a platform in its sandbox, a server for its streams, and a
 * call from a phone that talks, for some seconds (at most 300). It leaves a WAV file of the audio that the caller
 * heard.
 */
const examples: Readonly<Record<string, (stream: StreamSession) => void>> = {
  echo,
  parrot: (stream) => parrot(stream, (what) => print(`  parrot: ${what}`)),
};
const [name = 'echo', secondsText = '15'] = process.argv.slice(2);
const example = examples[name];
if (example === undefined) {
  print(`There is no example '${name}': the examples are ${Object.keys(examples).join(' and ')}.`);
  process.exit(2);
}
function print(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

const token = 'ZXhhbXBsZWV4YW1wbGVleGFtcGxlZXhhbXBsZWV4';
const authId = 'MAEXAMPLE00000000000';
const authorization = `Basic ${Buffer.from(`${authId}:${token}`).toString('base64')}`;
const directory = mkdtempSync(join(tmpdir(), 'jackfield-example-'));

const http = createServer((request, response) => {
  request.resume();
  const { port } = http.address() as AddressInfo;
  // The document of the call streams its audio to our server and back, until the stream ends.
  response
    .writeHead(200, { 'content-type': 'application/xml' })
    .end(
      `<Response><Stream bidirectional="true" keepCallAlive="true">ws://127.0.0.1:${port}/stream</Stream></Response>`,
    );
});
await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
const { port } = http.address() as AddressInfo;
const streams = await serveStreams({
  server: http,
  path: '/stream',
  serviceUrl: `ws://127.0.0.1:${port}/stream`,
  authToken: token,
  onStream(stream) {
    const { encoding, sampleRate } = stream.start.mediaFormat;
    print(`A stream of call ${stream.start.callId} begins: ${encoding} at ${sampleRate} Hz.`);
    let frames = 0;
    stream.on('media', () => void frames++);
    stream.on('failed', (reason) => print(`  refused: ${reason}`));
    stream.on('end', (reason) => print(`It has ended (${reason}) after ${frames} frames of 20 ms.`));
    example(stream);
  },
});

const platform = spawn(
  process.execPath,
  [join(import.meta.dirname, '../../../apps/server/src/main.ts'), 'dev'],
  {
    // None of the user's environment: no database, no ports, no carriers.
    env: {
      JACKFIELD_HTTP_PORT: '0',
      JACKFIELD_SIP_PORT: '0',
      JACKFIELD_DATA_DIR: directory,
      JACKFIELD_AUTH_ID: authId,
      JACKFIELD_AUTH_TOKEN: token,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
try {
  const url = await readyAt(platform);
  print(`A platform in its sandbox at ${url}; a phone of the sandbox calls in, and talks.`);
  const { app_id: application } = await api(url, 'POST', 'Application/', {
    app_name: name,
    answer_url: `http://127.0.0.1:${port}/answer`,
  });
  const { sandbox_call_uuid: call } = await api(url, 'POST', 'Sandbox/Call/', {
    to: application,
    behaviour: 'talk',
    hangup_after: secondsText,
  });
  const recording = await recordingOf(url, String(call));
  const file = join(tmpdir(), `jackfield-example-${name}.wav`);
  writeFileSync(file, recording);
  print(`What the caller heard: ${file}`);
} finally {
  await streams.close();
  http.closeAllConnections();
  http.close();
  await ended(platform);
  rmSync(directory, { recursive: true, force: true });
}

async function api(
  url: string,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}/v1/Account/${authId}/${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** The audio that the phone heard, after the end of its call. */
async function recordingOf(url: string, call: string): Promise<Uint8Array> {
  for (;;) {
    const { state, recording, end } = await api(url, 'GET', `Sandbox/Call/${call}/`);
    if (state === 'ended' && recording === 'complete') break;
    if (state === 'ended' && recording !== 'running') throw new Error(`the call ended by ${String(end)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const answer = await fetch(`${url}/v1/Account/${authId}/Sandbox/Call/${call}/Recording/`, {
    headers: { authorization },
  });
  if (!answer.ok) throw new Error(`the recording was answered with ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** The address in the platform's log line of readiness. */
function readyAt(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the platform has ended with ${code}`)));
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (/^(?:call|document|callback|stream) /.test(line)) print(`  ${line}`);
      if (!line.includes('Jackfield is ready.')) return;
      const { http: at } = JSON.parse(line) as { http: { host: string; port: number } };
      resolve(`http://${at.host}:${at.port}`);
    });
  });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.removeAllListeners('exit');
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
