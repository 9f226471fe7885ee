import { apiCommand } from '../api-command.ts';
import { printFields, printJson } from '../print.ts';

export const showCall = apiCommand({
  name: 'calls show',
  summary: 'shows a call, and in one sentence why it ended',
  arguments: [{ name: 'call', summary: 'its UUID' }],
  async run(api, [call = ''], { json }) {
    const found = await api.request('GET', `Call/${encodeURIComponent(call)}/`);
    if (json) printJson(found);
    else printFields(found);
  },
});
