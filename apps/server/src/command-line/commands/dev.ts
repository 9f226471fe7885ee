import type { Command } from '../command.ts';

export const dev: Command = {
  name: 'dev',
  summary: 'starts the platform in its sandbox, on this machine alone',
  run: async () => (await import('../../run-platform.ts')).runPlatform('dev'),
};
