import type { ImportedObject } from '../../import/import-account.ts';
import { apiCommand } from '../api-command.ts';
import { CommandFailure } from '../command.ts';
import { printJson, printTable } from '../print.ts';

interface Flags {
  readonly passwords?: string;
}

export const importExport = apiCommand<Flags>({
  name: 'import',
  summary: 'creates the applications, endpoints, trunks and numbers of an export: all of them or none',
  arguments: [{ name: 'file', summary: 'JSON with the objects, as the lists of the API show them' }],
  options: [
    {
      flags: '--passwords <file>',
      summary: 'a new file for the new passwords, mode 0600; printed when left out',
    },
  ],
  async run(api, [file = ''], { passwords, json }) {
    const { readExport } = await import('../../import/read-export.ts');
    const { importAccount } = await import('../../import/import-account.ts');
    const { createSecretFile, readTextFile } = await import('../../import/files.ts');
    const read = readExport(readTextFile(file));
    if (!read.ok)
      throw new CommandFailure(
        [...read.problems.map((problem) => `${file}: ${problem}`), 'Nothing was imported.'].join('\n'),
      );
    for (const warning of read.warnings) process.stderr.write(`${file}: ${warning}\n`);
    // Before anything is created: passwords that cannot be written are lost.
    const secretFile = passwords === undefined ? undefined : createSecretFile('--passwords', passwords);
    const interruption = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());
    try {
      await importAccount(api, read.objects, interruption.signal, (imported) => {
        const withPasswords = imported.filter(({ password }) => password !== undefined);
        secretFile?.write(`${JSON.stringify(withPasswords, null, 2)}\n`);
        const shown: readonly ImportedObject[] =
          secretFile === undefined ? imported : imported.map(({ password: _, ...rest }) => rest);
        if (json) return printJson(shown);
        printTable(
          shown,
          {
            section: ({ section }) => section,
            'in the file': ({ from }) => from,
            here: ({ id }) => id,
            username: ({ username }) => username,
            password: ({ password }) => password ?? '',
            address: ({ sip_uri, trunk_domain }) => sip_uri ?? trunk_domain,
          },
          'Nothing was imported.',
        );
      });
    } catch (error) {
      secretFile?.remove();
      if (!(error instanceof CommandFailure)) throw error;
      throw new CommandFailure(`${file}: ${error.message}`);
    }
  },
});
