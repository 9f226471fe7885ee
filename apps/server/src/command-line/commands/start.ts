import type { Command } from '../command.ts';

export const start: Command = {
  name: 'start',
  summary: 'starts the platform for production',
  run: async () => (await import('../../run-platform.ts')).runPlatform('production'),
};
