import type { CheckedAddresses, EgressProblem } from '@jackfield/ports';
import type { StreamInput } from '../domain/stream.ts';

/** What the look-up of an attempt gave; `headers` are undefined when the account of the stream is gone. */
export function targetInput(
  attempt: number,
  found: CheckedAddresses | { readonly problem: EgressProblem },
  headers: Readonly<Record<string, string>> | undefined,
): StreamInput {
  if ('problem' in found) {
    const { kind, sentence } = found.problem;
    const isFinal = kind === 'refused';
    const fault = { code: isFinal ? 'address-refused' : 'unreachable', sentence } as const;
    return { type: 'target-refused', attempt, fault, isFinal };
  }
  if (headers === undefined) {
    const fault = { code: 'account-gone', sentence: 'its account is gone' } as const;
    return { type: 'target-refused', attempt, fault, isFinal: true };
  }
  return { type: 'target-found', attempt, target: { ...found, headers } };
}
