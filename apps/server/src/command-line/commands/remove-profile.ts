import { readEnvironment } from '../../read-environment.ts';
import { type Command, CommandFailure } from '../command.ts';
import { profileOf, profilesFile, readProfiles, writeProfiles } from '../profiles.ts';

export const removeProfile: Command = {
  name: 'profile remove',
  summary: 'forgets a profile and its token',
  arguments: [{ name: 'name', summary: 'its name' }],
  run([name = '']) {
    const file = profilesFile(readEnvironment());
    const profiles = readProfiles(file);
    const { [name]: _, ...kept } = profiles;
    if (profileOf(profiles, name) === undefined)
      throw new CommandFailure(
        `name is "${name}": ${file} has ${Object.keys(kept).join(', ') || 'no profile'}.`,
      );
    writeProfiles(file, kept);
  },
};
