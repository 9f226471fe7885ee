import { apiCommand } from '../api-command.ts';

export const endTrace = apiCommand({
  name: 'trace end',
  summary: 'ends a SIP trace; its messages stay for seven days',
  arguments: [{ name: 'trace', summary: 'its identifier' }],
  run: async (api, [trace = '']) => void (await api.request('DELETE', `Trace/${encodeURIComponent(trace)}/`)),
});
