import { randomBytes } from 'node:crypto';
import { apiCommand } from '../api-command.ts';
import { printFields, printJson } from '../print.ts';

interface Flags {
  readonly alias?: string;
  readonly appId?: string;
  readonly password?: string;
}

export const createEndpoint = apiCommand<Flags>({
  name: 'endpoints create',
  summary: 'creates a SIP endpoint, and prints what its phone needs',
  arguments: [{ name: 'username', summary: 'the beginning of its username: letters and digits' }],
  options: [
    { flags: '--password <text>', summary: 'with which the phone registers; made up when left out' },
    { flags: '--alias <name>', summary: 'a name for people; the username when left out' },
    { flags: '--app-id <id>', summary: 'the application that handles its calls' },
  ],
  async run(api, [username = ''], { alias = username, appId, password = newPassword(), json }) {
    const { endpoint_id: id } = await api.request('POST', 'Endpoint/', {
      username,
      password,
      alias,
      ...(appId === undefined ? {} : { app_id: appId }),
    });
    const endpoint = await api.request('GET', `Endpoint/${String(id)}/`);
    // Shown this once: the server keeps a digest alone.
    const shown = { endpoint_id: id, username: endpoint.username, password, sip_uri: endpoint.sip_uri };
    if (json) printJson(shown);
    else printFields(shown);
  },
});

/** 96 bits, as people type them. */
function newPassword(): string {
  return randomBytes(12).toString('base64url');
}
