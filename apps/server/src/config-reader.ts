import type { ConfigVariable } from './config-variables.ts';

export interface ConfigProblem {
  readonly variable: string;
  /** The variable, its value unless that is secret, and what is allowed. */
  readonly sentence: string;
}

/** One variable with the value in force, `[hidden]` for a secret. */
export interface ConfigLine {
  readonly variable: string;
  readonly value: string;
  readonly from: 'environment' | 'default';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads variables one after another; collects the values in force and the problems. */
export interface ConfigReader {
  /** `text` shows the fallback. */
  orDefault<Value>(variable: ConfigVariable<Value>, fallback: Value, text?: string): Value;
  /** `otherwise` shows the effect of a variable that is not set. */
  optional<Value>(variable: ConfigVariable<Value>, otherwise: string): Value | undefined;
  isSet(variable: { readonly name: string }): boolean;
  readonly problems: readonly ConfigProblem[];
  readonly inForce: readonly ConfigLine[];
}

/** An empty variable counts as not set. */
export function createConfigReader(env: Environment): ConfigReader {
  const problems: ConfigProblem[] = [];
  const inForce: ConfigLine[] = [];

  function read<Value>(variable: ConfigVariable<Value>): Value | undefined {
    const text = env[variable.name]?.trim() ?? '';
    if (text === '') return undefined;
    const value = variable.read(text);
    if (value === undefined) problems.push(wrongValue(variable, text));
    else inForce.push({ variable: variable.name, value: shown(variable, text), from: 'environment' });
    return value;
  }

  function byDefault({ name }: { readonly name: string }, value: string): void {
    inForce.push({ variable: name, value, from: 'default' });
  }

  return {
    problems,
    inForce,
    isSet: ({ name }) => (env[name]?.trim() ?? '') !== '',
    orDefault(variable, fallback, text = String(fallback)) {
      const value = read(variable);
      if (value !== undefined) return value;
      byDefault(variable, text);
      return fallback;
    },
    optional(variable, otherwise) {
      const value = read(variable);
      if (value === undefined) byDefault(variable, otherwise);
      return value;
    },
  };
}

function wrongValue(variable: ConfigVariable<unknown>, text: string): ConfigProblem {
  const { name, allowed } = variable;
  return {
    variable: name,
    sentence: `${name} must be ${allowed}, not ${variable.secret ? '[hidden]' : JSON.stringify(shown(variable, text))}`,
  };
}

function shown(variable: ConfigVariable<unknown>, text: string): string {
  return variable.secret ? '[hidden]' : (variable.shown?.(text) ?? text);
}
