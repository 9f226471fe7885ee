import { apiCommand } from '../api-command.ts';
import { CommandFailure } from '../command.ts';

export const hangUp = apiCommand<{ readonly all?: true }>({
  name: 'calls hangup',
  summary: 'hangs up a call, or with --all every call of the account',
  arguments: [{ name: 'call', summary: 'its UUID', isOptional: true }],
  options: [{ flags: '--all', summary: 'every live call of the account' }],
  async run(api, [call], { all }) {
    if ((call === undefined) === (all === undefined))
      throw new CommandFailure('jackfield calls hangup needs the UUID of a call, or --all, and not both.');
    await api.request('DELETE', call === undefined ? 'Call/' : `Call/${encodeURIComponent(call)}/`);
  },
});
