import { resolve } from 'node:path';
import type { ImportedObject } from '../../import/import-account.ts';
import { apiCommand } from '../api-command.ts';
import { CommandFailure } from '../command.ts';
import { interruption } from '../interruption.ts';
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
    const { createSecretFile, readTextFile, refuseExisting } = await import('../../import/files.ts');
    const { openJournal, undoUnfinished } = await import('../../import/unfinished-import.ts');
    const { withLines } = await import('@jackfield/platform/json-lines');
    const text = readTextFile(file);
    const read = readExport(text);
    if (!read.ok)
      throw new CommandFailure(
        [...read.problems.map((problem) => `${file}: ${problem}`), 'Nothing was imported.'].join('\n'),
      );
    for (const warning of read.warnings) process.stderr.write(`${file}: ${warning}\n`);
    const left = await undoUnfinished(api, file);
    if (left !== undefined)
      process.stderr.write(
        `${file}: an import that was cut off is undone (${left} steps); it begins anew.\n`,
      );
    if (passwords !== undefined) refuseExisting('--passwords', passwords);
    const { url, authId } = api.profile;
    const made = passwords === undefined ? null : resolve(passwords);
    const journal = openJournal(file, { url, authId, passwords: made });
    // Before anything is created: passwords that cannot be written are lost.
    const secretFile =
      passwords === undefined
        ? undefined
        : createSecretFile('--passwords', passwords, () => journal.remove());
    const signal = interruption();
    try {
      await importAccount(api, read.objects, { journal, signal }, (imported) => {
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
      throw new CommandFailure(`${file}: ${withLines(text, [error.message]).join('')}`);
    }
  },
});
