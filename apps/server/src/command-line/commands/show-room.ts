import { apiCommand } from '../api-command.ts';
import { CommandFailure } from '../command.ts';
import { readLive } from '../live.ts';
import { printJson, printTable } from '../print.ts';

export const showRoom = apiCommand({
  name: 'rooms show',
  summary: 'shows the members of a live multiparty call, and who hears whom',
  arguments: [{ name: 'room', summary: 'its friendly name or UUID' }],
  async run(api, [name = ''], { json }) {
    const { multiparty_calls: rooms } = await readLive(api);
    const room = rooms.find(
      ({ mpc_uuid, friendly_name }) =>
        mpc_uuid === name.toLowerCase().replace(/^uuid_/, '') || friendly_name === name.replace(/^name_/, ''),
    );
    if (room === undefined) {
      const names = rooms.map(({ friendly_name }) => friendly_name).join(', ');
      throw new CommandFailure(
        `room is "${name}": ${names === '' ? 'no multiparty call is live' : `live are ${names}`}.`,
      );
    }
    if (json) return printJson(room);
    const addresses = new Map(
      room.members.map(({ member_id, member_address }) => [member_id, member_address]),
    );
    printTable(
      room.members,
      {
        member: ({ member_id }) => member_id,
        role: ({ role, coach_mode }) => (coach_mode ? `${role}, coaches` : role),
        address: ({ member_address }) => member_address,
        status: ({ status, mute, hold }) =>
          [status, mute && 'muted', hold && 'on hold'].filter(Boolean).join(', '),
        hears: ({ hears }) => hears.map((id) => addresses.get(id) ?? id).join(', '),
        call: ({ call_uuid }) => call_uuid,
      },
      'The multiparty call has no member.',
    );
  },
});
