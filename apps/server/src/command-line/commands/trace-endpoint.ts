import { apiCommand } from '../api-command.ts';
import { CommandFailure } from '../command.ts';
import { followTrace, type TraceFlags, traceOptions } from '../sip-trace.ts';

interface Endpoint {
  readonly endpoint_id: string;
  readonly username: string;
}

/** The endpoints of an account are listed by page: a username is looked for in so many. */
const mostRead = 10_000;

export const traceEndpoint = apiCommand<TraceFlags>({
  name: 'trace endpoint',
  summary: 'prints the SIP messages of an endpoint as they come: registrations, calls and messages',
  arguments: [{ name: 'endpoint', summary: 'its username or its endpoint_id' }],
  options: traceOptions,
  async run(api, [named = ''], flags) {
    const endpoints = await api.list<Endpoint>('Endpoint/', {}, mostRead);
    const found = endpoints.find(({ endpoint_id: id, username }) => id === named || username === named);
    if (found === undefined)
      throw new CommandFailure(`${named} is no endpoint: jackfield endpoints list shows their usernames.`);
    await followTrace(api, { endpoint_id: found.endpoint_id }, flags);
  },
});
