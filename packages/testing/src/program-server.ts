import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as passed } from 'node:timers/promises';
import type { Faults } from './faults.ts';
import { type ProgramRunner, programRequest } from './program.ts';
import { spokenFile } from './spoken-file.ts';

export interface ProgramServerOptions {
  readonly program: ProgramRunner;
  /** Where the program runs, when it is a server: requests go on to it. */
  readonly programUrl: string | undefined;
  /** The address at which the server reaches this machine. */
  readonly host: string;
  readonly faults: () => Faults;
}

/** The program under test for a server: a function, or a server behind this one, which sees its requests and causes its faults. */
export interface ProgramServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function openProgramServer(options: ProgramServerOptions): Promise<ProgramServer> {
  const { host } = options;
  const server = createServer((request, response) => {
    answer(options, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function answer(
  { program, programUrl, faults }: ProgramServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (faults().isOn('receiver-down')) return void request.socket.destroy();
  if (faults().isOn('receiver-error')) return void response.writeHead(500).end();
  let body = '';
  for await (const piece of request.setEncoding('utf8')) body += piece;
  const method = request.method === 'POST' ? 'POST' : 'GET';
  const asked = `http://${request.headers.host}${request.url}`;
  const base = programUrl ?? asked;
  const url = new URL(request.url ?? '/', base).href;
  const answered = await program.answer(programRequest(method, url, headersOf(request, asked), body));
  const lateMs = faults().lateMs('receiver-slow');
  if (lateMs > 0) await passed(lateMs);
  // A sound is heard as its URL: a file of a program in a test need not be one.
  const isSound = method === 'GET' && !('x-service-signature-v3' in request.headers);
  if (isSound && answered.status === 200) {
    return void response.writeHead(200, { 'content-type': 'audio/wav' }).end(spokenFile(url));
  }
  response.writeHead(answered.status, { 'content-type': answered.contentType }).end(answered.body);
}

/** What belongs to this connection alone is not the program's; its own URL is behind this one, as behind a proxy. */
function headersOf(request: IncomingMessage, asked: string): Record<string, string> {
  const { host, connection, 'content-length': _, 'transfer-encoding': __, ...rest } = request.headers;
  const { host: forwarded, protocol } = new URL(asked);
  const entries = Object.entries(rest).map(([name, value]) => [name, String(value)]);
  return {
    ...Object.fromEntries(entries),
    'x-forwarded-host': forwarded,
    'x-forwarded-proto': protocol.replace(':', ''),
  };
}
