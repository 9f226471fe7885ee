import type { CallTracing, Clock, Logger } from '@jackfield/ports';
import type { Config } from '../config.ts';
import { version } from '../version.ts';

/** Spans of calls, where the operator has a receiver for them. Its libraries are loaded for that alone. */
export async function openTracing(
  { tracing }: Pick<Config, 'tracing'>,
  incarnation: string,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<CallTracing | undefined> {
  if (tracing === undefined) return undefined;
  const { createCallTracing } = await import('@jackfield/adapters/tracing-otlp');
  const resource = {
    'service.name': 'jackfield',
    'service.version': version,
    'service.instance.id': incarnation,
  };
  return createCallTracing({ ...tracing, resource, clock, log });
}
