import { runTestServer } from '../../test-server.ts';
import type { Command } from '../command.ts';
import { portNumber } from '../option-values.ts';

export const testServer: Command = {
  name: 'test-server',
  summary: 'gives tests in any language worlds of simulated phones, over HTTP',
  options: [
    { flags: '--port <port>', summary: 'the port of the HTTP interface', read: portNumber, default: 8090 },
    { flags: '--host <host>', summary: 'the address of the HTTP interface', default: '127.0.0.1' },
  ],
  run: (_, options: { readonly port: number; readonly host: string }) => runTestServer(options),
};
