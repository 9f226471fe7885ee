import { apiCommand } from '../api-command.ts';
import { followTrace, type TraceFlags, traceOptions } from '../sip-trace.ts';

export const traceCall = apiCommand<TraceFlags>({
  name: 'trace call',
  summary: 'prints the SIP messages of a live call as they come',
  arguments: [{ name: 'call', summary: 'its UUID' }],
  options: traceOptions,
  run: (api, [call = ''], flags) => followTrace(api, { call_uuid: call }, flags),
});
