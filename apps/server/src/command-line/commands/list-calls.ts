import { apiCommand } from '../api-command.ts';
import { lasting, readLive } from '../live.ts';
import { wholeNumber } from '../option-values.ts';
import { printJson, printTable } from '../print.ts';

interface Flags {
  readonly live?: true;
  readonly limit: number;
}

export const listCalls = apiCommand<Flags>({
  name: 'calls list',
  summary: 'lists calls, the newest end first; with --live those that have not ended',
  options: [
    { flags: '--live', summary: 'calls that have not ended' },
    { flags: '--limit <number>', summary: 'ended calls at most', read: wholeNumber, default: 20 },
  ],
  async run(api, _, { live, limit, json }) {
    if (live) {
      const { calls } = await readLive(api);
      if (json) return printJson(calls);
      return printTable(
        calls,
        {
          call: ({ call_uuid }) => call_uuid,
          from: ({ from }) => from,
          to: ({ to }) => to,
          status: ({ status }) => status,
          lasts: ({ answered_at }) => lasting(answered_at),
          MOS: ({ quality }) => quality?.mos,
        },
        'No call is live.',
      );
    }
    const calls = await api.list('Call/', {}, limit);
    if (json) return printJson(calls);
    printTable(
      calls,
      {
        call: ({ call_uuid }) => call_uuid,
        from: ({ from_number }) => from_number,
        to: ({ to_number }) => to_number,
        ended: ({ end_time }) => end_time,
        seconds: ({ call_duration }) => call_duration,
        cause: ({ hangup_cause_name }) => hangup_cause_name,
      },
      'No call has ended yet.',
    );
  },
});
