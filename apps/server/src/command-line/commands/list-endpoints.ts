import { apiCommand } from '../api-command.ts';
import { wholeNumber } from '../option-values.ts';
import { printJson, printTable } from '../print.ts';

export const listEndpoints = apiCommand<{ readonly limit: number }>({
  name: 'endpoints list',
  summary: 'lists the SIP endpoints of the account, and whether their phones are registered',
  options: [{ flags: '--limit <number>', summary: 'endpoints at most', read: wholeNumber, default: 100 }],
  async run(api, _, { limit, json }) {
    const endpoints = await api.list('Endpoint/', {}, limit);
    if (json) return printJson(endpoints);
    printTable(
      endpoints,
      {
        id: ({ endpoint_id }) => endpoint_id,
        alias: ({ alias }) => alias,
        SIP: ({ sip_uri }) => sip_uri,
        registered: ({ sip_registered }) => (sip_registered === 'true' ? 'yes' : 'no'),
        phone: ({ sip_user_agent }) => sip_user_agent,
      },
      'The account has no endpoint.',
    );
  },
});
