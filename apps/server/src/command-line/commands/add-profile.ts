import { readEnvironment } from '../../read-environment.ts';
import { createAccountApi } from '../account-api.ts';
import { type Command, CommandFailure } from '../command.ts';
import { httpUrl } from '../option-values.ts';
import { checkProfileName, profilesFile, readProfiles, writeProfiles } from '../profiles.ts';
import { readSecret } from '../read-secret.ts';

interface Flags {
  readonly url: string;
  readonly authId: string;
}

/** docs/interface/requests.md#identifiers */
const account = /^[MS]A[A-Z0-9]{18}$/;

export const addProfile: Command = {
  name: 'profile add',
  summary: 'keeps a server and an account under a name; the token is read from standard input',
  arguments: [{ name: 'name', summary: 'default is used where no --profile is given' }],
  options: [
    {
      flags: '--url <url>',
      summary: 'the server, such as https://calls.example.com',
      read: httpUrl,
      isRequired: true,
    },
    { flags: '--auth-id <id>', summary: 'the account', isRequired: true },
  ],
  async run([name = ''], { url, authId }: Flags) {
    checkProfileName(name);
    if (!account.test(authId))
      throw new CommandFailure(
        `--auth-id is "${authId}": it must be MA or SA and 18 capital letters or digits.`,
      );
    const file = profilesFile(readEnvironment());
    const profiles = readProfiles(file);
    const profile = { url: new URL(url).origin, authId, authToken: await readSecret('auth_token: ') };
    // What cannot be used is not kept.
    await createAccountApi({ ...profile, from: `the profile ${name}` }).request('GET', '');
    writeProfiles(file, { ...profiles, [name]: profile });
  },
};
