import { readEnvironment } from '../../read-environment.ts';
import type { Command } from '../command.ts';
import { printJson, printTable } from '../print.ts';
import { profilesFile, readProfiles } from '../profiles.ts';

export const listProfiles: Command = {
  name: 'profile list',
  summary: 'lists the profiles, without their tokens',
  options: [{ flags: '--json', summary: 'prints JSON, for programs' }],
  run(_, { json }: { readonly json?: true }) {
    const profiles = Object.entries(readProfiles(profilesFile(readEnvironment()))).map(
      ([name, { url, authId }]) => ({ name, url, auth_id: authId }),
    );
    if (json) return printJson(profiles);
    printTable(
      profiles,
      { name: ({ name }) => name, url: ({ url }) => url, auth_id: ({ auth_id }) => auth_id },
      'There is no profile: jackfield profile add makes one.',
    );
  },
};
