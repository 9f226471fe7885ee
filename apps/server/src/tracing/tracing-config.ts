import type { ConfigProblem, ConfigReader } from '../config-reader.ts';
import { tracingVariables } from './tracing-variables.ts';

/** Where spans of calls are sent, by OTLP over HTTP. */
export interface TracingConfig {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function readTracing({ optional }: ConfigReader): TracingConfig | undefined {
  const url = optional(tracingVariables.otlpUrl, 'calls are not traced');
  const headers = optional(tracingVariables.otlpHeaders, 'none') ?? {};
  return url === undefined ? undefined : { url, headers };
}

export function tracingContradictions({ isSet }: Pick<ConfigReader, 'isSet'>): readonly ConfigProblem[] {
  const { otlpUrl, otlpHeaders } = tracingVariables;
  if (!isSet(otlpHeaders) || isSet(otlpUrl)) return [];
  const sentence = `${otlpHeaders.name} needs ${otlpUrl.name}: without it no spans are sent`;
  return [{ variable: otlpHeaders.name, sentence }];
}
