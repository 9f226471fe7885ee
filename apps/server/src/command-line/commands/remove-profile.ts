import { readEnvironment } from '../../read-environment.ts';
import { type Command, CommandFailure } from '../command.ts';
import { profilesFile, readProfiles, writeProfiles } from '../profiles.ts';

export const removeProfile: Command = {
  name: 'profile remove',
  summary: 'forgets a profile and its token',
  arguments: [{ name: 'name', summary: 'its name' }],
  run([name = '']) {
    const file = profilesFile(readEnvironment());
    const { [name]: removed, ...kept } = readProfiles(file);
    if (removed === undefined)
      throw new CommandFailure(
        `name is "${name}": ${file} has ${Object.keys(kept).join(', ') || 'no profile'}.`,
      );
    writeProfiles(file, kept);
  },
};
