import type { SipTraceItem } from '@jackfield/contract/console';
import { apiCommand } from '../api-command.ts';
import { printJson, printTable } from '../print.ts';

export const listTraces = apiCommand({
  name: 'trace list',
  summary: 'lists the SIP traces of seven days',
  async run(api, _, { json }) {
    const { objects } = await api.request<{ readonly objects: readonly SipTraceItem[] }>('GET', 'Trace/');
    if (json) printJson(objects);
    else
      printTable(
        objects,
        {
          trace: ({ trace_id: id }) => id,
          of: ({ call_uuid: call, endpoint_id: endpoint }) =>
            call === null ? `endpoint ${endpoint}` : `call ${call}`,
          began: ({ began_at: at }) => at,
          ends: ({ ends_at: at, is_on: isOn }) => (isOn ? at : 'ended'),
        },
        'No trace has been made in seven days.',
      );
  },
});
