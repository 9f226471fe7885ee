import type { Command } from '../command.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'puts a backup into an empty data directory and database; the server must not run',
  arguments: [{ name: 'directory', summary: 'the directory that jackfield backup wrote' }],
  async run([directory = '']) {
    const { restoreBackup } = await import('../../backup/restore-backup.ts');
    const { storedConfig, withSentence } = await import('../stored-config.ts');
    const config = storedConfig();
    const { createdAt, version } = await withSentence(config.dataDir, () => restoreBackup(config, directory));
    process.stdout.write(
      `The backup of ${createdAt} (Jackfield ${version}) is in ${config.dataDir}: jackfield start\n`,
    );
  },
};
