import { apiCommand } from '../api-command.ts';

export const deleteEndpoint = apiCommand({
  name: 'endpoints delete',
  summary: 'deletes a SIP endpoint; its phone can no longer register',
  arguments: [{ name: 'id', summary: 'its endpoint_id' }],
  async run(api, [id = '']) {
    await api.request('DELETE', `Endpoint/${encodeURIComponent(id)}/`);
  },
});
