import { callPath, firedCall, newCallBody, transferBody, transferredCall } from '@jackfield/contract';
import { type RouteGroup, route } from '../../http/index.ts';
import { accepted } from '../../kernel/result.ts';
import type { CallCommands } from './commands.ts';
import { readNewCall, readTransfer } from './parameters.ts';
import type { Transfer } from './runs/transfer.ts';

export function callInstructionRoutes(commands: CallCommands, transfer: Transfer): RouteGroup {
  const call = route({
    method: 'POST',
    path: 'Call/',
    operation: 'Make a call that runs an answer document',
    id: 'createCall',
    description: 'The document is fetched from answer_url when the call is answered.',
    schema: { body: newCallBody, response: firedCall },
    success: 201,
    async run({ account, body }) {
      const requested = readNewCall(body);
      if (!requested.ok) return requested;
      const fired = await commands.call(account, requested.value);
      if (!fired.ok) return fired;
      const [first] = fired.value;
      const isOne = requested.value.specs.length === 1 && first !== undefined;
      const requestUuid = isOne ? first : fired.value;
      return accepted({ message: 'call fired', request_uuid: requestUuid }, fired.warnings);
    },
  });

  const move = route({
    method: 'POST',
    path: 'Call/:call_uuid/',
    operation: 'Transfer a live call to another answer document',
    id: 'transferCall',
    schema: { params: callPath, body: transferBody, response: transferredCall },
    success: 202,
    async run({ account, params, body }) {
      const requested = readTransfer(body);
      if (!requested.ok) return requested;
      const moved = await transfer(account, params.call_uuid, requested.value);
      if (!moved.ok) return moved;
      // Clients know the message in this spelling (docs/interface/calls.md#transfers).
      return accepted({ message: 'call transfered', call_uuids: [...moved.value] });
    },
  });

  return {
    name: 'Calls',
    description: 'Calls that are made and moved by answer documents.',
    routes: [call, move],
  };
}
