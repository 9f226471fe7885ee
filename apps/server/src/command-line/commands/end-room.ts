import { apiCommand } from '../api-command.ts';
import { roomPath } from '../live.ts';

export const endRoom = apiCommand({
  name: 'rooms end',
  summary: 'ends a multiparty call, and hangs up its members',
  arguments: [{ name: 'room', summary: 'its friendly name or UUID' }],
  async run(api, [room = '']) {
    await api.request('DELETE', roomPath(room));
  },
});
