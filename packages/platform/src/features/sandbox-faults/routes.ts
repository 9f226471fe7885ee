import {
  defaultLateSeconds,
  newSandboxFault,
  readInteger,
  readOneOf,
  type SandboxFaultItem,
  type SandboxFaultName,
  sandboxFaultBody,
  sandboxFaultList,
  sandboxFaultNames,
  sandboxFaultPath,
} from '@jackfield/contract';
import type { Clock } from '@jackfield/ports';
import { operatorOnly, type RouteGroup, route } from '../../http/index.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import { type CurrentFaults, isFaultName } from './switches/current-faults.ts';

export interface SandboxFaultRouteDeps {
  readonly clock: Clock;
  readonly faults: CurrentFaults;
  readonly operator: () => string | undefined;
}

export function sandboxFaultRoutes({ clock, faults, operator }: SandboxFaultRouteDeps): RouteGroup {
  const hidden = operatorOnly(operator, 'switches faults: they concern all accounts');

  function itemOf(name: SandboxFaultName): SandboxFaultItem {
    const fault = faults.find(name);
    const endsAt = fault?.endsAt;
    return {
      name,
      is_on: fault !== undefined,
      ends_at: endsAt === undefined ? null : new Date(clock.wallNow() + endsAt - clock.now()).toISOString(),
      late_seconds: fault !== undefined && name === 'sms-late' ? fault.lateMs / 1000 : null,
    };
  }

  const list = route({
    method: 'GET',
    path: 'Sandbox/Fault/',
    operation: 'List the faults of the sandbox',
    id: 'listSandboxFaults',
    description: 'All of them, on or off; for the first account.',
    schema: { response: sandboxFaultList },
    success: 200,
    least: 'operator',
    async run({ account }) {
      const problem = hidden(account);
      return problem ? refused(problem) : accepted({ objects: sandboxFaultNames.map(itemOf) });
    },
  });

  const begin = route({
    method: 'POST',
    path: 'Sandbox/Fault/',
    operation: 'Begin a fault of the sandbox',
    id: 'startSandboxFault',
    description:
      'A fault that is on begins anew. It concerns all accounts, and a restart of the process ends it.',
    schema: { body: newSandboxFault, response: sandboxFaultBody },
    success: 201,
    least: 'operator',
    async run({ account, body }) {
      const problem = hidden(account);
      if (problem) return refused(problem);
      // The schema allows no other.
      const name = readOneOf(sandboxFaultNames, body.name)!;
      const seconds = readInteger(body.seconds);
      faults.begin(name, {
        forMs: seconds === undefined ? undefined : seconds * 1000,
        lateMs: (readInteger(body.late_seconds) ?? defaultLateSeconds) * 1000,
      });
      return accepted(itemOf(name));
    },
  });

  const end = route({
    method: 'DELETE',
    path: 'Sandbox/Fault/:fault/',
    operation: 'End a fault of the sandbox',
    id: 'endSandboxFault',
    description: 'Without effect on a fault that is off.',
    schema: { params: sandboxFaultPath },
    success: 204,
    least: 'operator',
    async run({ account, params: { fault: name } }) {
      const problem = hidden(account);
      if (problem) return refused(problem);
      if (!isFaultName(name)) return refused(notFound('fault', name));
      faults.end(name);
      return accepted(undefined);
    },
  });

  return { name: 'Sandbox', routes: [list, begin, end] };
}
