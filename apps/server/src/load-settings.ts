import { type ConfigResult, loadConfig } from './config.ts';
import type { Environment } from './config-reader.ts';
import { readEnvFile, readEnvironment } from './read-environment.ts';

/** The configuration of the environment and of `.env`; a mistake in that file is named with its line. */
export function loadSettings(
  mode: 'dev' | 'production',
  directory?: string,
  env?: Environment,
): ConfigResult & { readonly env: Environment } {
  const file = readEnvFile(directory);
  const all = readEnvironment(directory, env);
  const loaded = loadConfig({ env: all, mode });
  const problems = loaded.ok ? [] : loaded.problems;
  if (file.problems.length === 0 && problems.length === 0) return { ...loaded, env: all };
  return {
    ok: false,
    env: all,
    problems: [
      ...file.problems.map((sentence) => ({ variable: '.env', sentence })),
      ...problems.map(({ variable, sentence }) => {
        const line = all[variable] === file.values[variable] ? file.lines.get(variable) : undefined;
        return { variable, sentence: line === undefined ? sentence : `${sentence} (.env, line ${line})` };
      }),
    ],
  };
}
