import type { Command } from './command.ts';
import { addProfile } from './commands/add-profile.ts';
import { backup } from './commands/backup.ts';
import { createCompletion } from './commands/completion.ts';
import { createEndpoint } from './commands/create-endpoint.ts';
import { deleteEndpoint } from './commands/delete-endpoint.ts';
import { dev } from './commands/dev.ts';
import { dial } from './commands/dial.ts';
import { doctor } from './commands/doctor.ts';
import { drainNode } from './commands/drain-node.ts';
import { endRoom } from './commands/end-room.ts';
import { endTrace } from './commands/end-trace.ts';
import { hangUp } from './commands/hang-up.ts';
import { importExport } from './commands/import-export.ts';
import { listCalls } from './commands/list-calls.ts';
import { listEndpoints } from './commands/list-endpoints.ts';
import { listNodes } from './commands/list-nodes.ts';
import { listProfiles } from './commands/list-profiles.ts';
import { listRooms } from './commands/list-rooms.ts';
import { listTraces } from './commands/list-traces.ts';
import { listen } from './commands/listen.ts';
import { logs } from './commands/logs.ts';
import { removeProfile } from './commands/remove-profile.ts';
import { restore } from './commands/restore.ts';
import { showCall } from './commands/show-call.ts';
import { showRoom } from './commands/show-room.ts';
import { start } from './commands/start.ts';
import { testServer } from './commands/test-server.ts';
import { traceCall } from './commands/trace-call.ts';
import { traceEndpoint } from './commands/trace-endpoint.ts';
import { undrainNode } from './commands/undrain-node.ts';
import { verifyAttack } from './commands/verify-attack.ts';

/** Every command, in the order of the help. docs/reference/commands.md is written from them. */
export const commands: readonly Command[] = [
  dev,
  start,
  doctor,
  backup,
  restore,
  testServer,
  verifyAttack,
  listCalls,
  showCall,
  dial,
  hangUp,
  listen,
  listRooms,
  showRoom,
  endRoom,
  listEndpoints,
  createEndpoint,
  deleteEndpoint,
  importExport,
  logs,
  traceCall,
  traceEndpoint,
  listTraces,
  endTrace,
  listNodes,
  drainNode,
  undrainNode,
  addProfile,
  listProfiles,
  removeProfile,
  createCompletion(() => ({ commands, groups: commandGroups })),
];

/** What the first word of several commands is about. */
export const commandGroups: Readonly<Record<string, string>> = {
  calls: 'calls of the account',
  rooms: 'live multiparty calls',
  endpoints: 'SIP endpoints, with which phones register',
  trace: 'SIP messages of one call or endpoint',
  nodes: 'server processes that share one database',
  profile: 'servers and accounts that the commands use',
};
