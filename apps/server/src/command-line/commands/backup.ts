import type { Command } from '../command.ts';
import { interruption } from '../interruption.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'copies the database, the key and the recordings to a new directory, also while the server runs',
  arguments: [{ name: 'directory', summary: 'the new directory; what it holds is secret' }],
  async run([directory = '']) {
    const { backUp } = await import('../../backup/back-up.ts');
    const { storedConfig, withSentence } = await import('../stored-config.ts');
    const signal = interruption();
    const { files } = await withSentence(directory, () => backUp(storedConfig(), directory, signal));
    const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
    process.stdout.write(
      `${Object.keys(files).length} files, ${(bytes / 1e6).toFixed(1)} MB in ${directory}\n`,
    );
  },
};
