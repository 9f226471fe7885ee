import { readEnvironment } from '../read-environment.ts';
import { type AccountApi, createAccountApi } from './account-api.ts';
import type { Command, CommandOption } from './command.ts';
import { chooseProfile } from './profiles.ts';

/** The options of each command that uses the API. */
interface ApiOptions {
  readonly profile?: string;
  readonly json?: true;
}

interface ApiCommand<Options> extends Omit<Command, 'run'> {
  run(api: AccountApi, args: readonly string[], options: Options & ApiOptions): Promise<void>;
}

const apiOptions: readonly CommandOption[] = [
  { flags: '--profile <name>', summary: 'the server and account, as jackfield profile add made it' },
  { flags: '--json', summary: 'prints what the API answers, for programs' },
];

/** A command over the API of the account that `--profile` or the environment names. */
export function apiCommand<Options = unknown>(command: ApiCommand<Options>): Command {
  return {
    ...command,
    options: [...(command.options ?? []), ...apiOptions],
    run: (args, options: Options & ApiOptions) =>
      command.run(createAccountApi(chooseProfile(options.profile, readEnvironment())), args, options),
  };
}
