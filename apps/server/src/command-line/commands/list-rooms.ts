import { apiCommand } from '../api-command.ts';
import { lasting, readLive } from '../live.ts';
import { printJson, printTable } from '../print.ts';

export const listRooms = apiCommand({
  name: 'rooms list',
  summary: 'lists the multiparty calls that have not ended',
  async run(api, _, { json }) {
    const { multiparty_calls: rooms } = await readLive(api);
    if (json) return printJson(rooms);
    printTable(
      rooms,
      {
        room: ({ friendly_name }) => friendly_name,
        uuid: ({ mpc_uuid }) => mpc_uuid,
        status: ({ status }) => status,
        lasts: ({ started_at }) => lasting(started_at),
        members: ({ members, are_members_cut }) => `${members.length}${are_members_cut ? ' or more' : ''}`,
        recording: ({ recording }) => recording,
      },
      'No multiparty call is live.',
    );
  },
});
