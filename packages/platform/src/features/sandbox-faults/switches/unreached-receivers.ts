import type { Egress, EgressAddresses } from '@jackfield/ports';
import type { CurrentFaults } from './current-faults.ts';

/** Requests to customers' URLs, which reach no receiver while the fault `receiver-down` is on. */
export function withReceiverDown(
  egress: Egress & EgressAddresses,
  faults: Pick<CurrentFaults, 'isOn'>,
): Egress & EgressAddresses {
  const down = {
    problem: { kind: 'unreachable', sentence: 'the fault receiver-down of the sandbox is on' },
  } as const;
  return {
    send: async (request) => (faults.isOn('receiver-down') ? down : egress.send(request)),
    resolve: async (url, timeoutMs) => (faults.isOn('receiver-down') ? down : egress.resolve(url, timeoutMs)),
  };
}
