import { endProcess } from '../../end-process.ts';
import { readEnvironment } from '../../read-environment.ts';
import { type Command, CommandFailure } from '../command.ts';
import { amount, httpUrl, wholeNumber } from '../option-values.ts';

interface Flags {
  readonly url?: string;
  readonly authId?: string;
  readonly authToken?: string;
  readonly appUuid?: string;
  readonly set?: readonly string[];
  readonly sessions: number;
  readonly messages: number;
  readonly price: number;
}

export const verifyAttack: Command = {
  name: 'verify-attack',
  summary: 'attacks the verification of a platform in its sandbox, and prints what that achieves and costs',
  options: [
    {
      flags: '--url <url>',
      summary: 'a platform that runs already; by default one is started for the attack alone',
      read: httpUrl,
    },
    { flags: '--auth-id <id>', summary: 'its account' },
    { flags: '--auth-token <token>', summary: 'the token of the account' },
    { flags: '--app-uuid <uuid>', summary: 'the app that is attacked; the default one when left out' },
    {
      flags: '--set <name=value...>',
      summary: 'settings of the app of the platform that is started, such as code_length=4',
    },
    {
      flags: '--sessions <number>',
      summary: 'sessions that are guessed at',
      read: wholeNumber,
      default: 200,
    },
    { flags: '--messages <number>', summary: 'messages that are pumped', read: wholeNumber, default: 1000 },
    { flags: '--price <amount>', summary: 'the price of one message', read: amount, default: 0.05 },
  ],
  async run(_, flags: Flags) {
    const { url, authId, authToken, appUuid, set = [], ...numbers } = flags;
    if (url !== undefined && (authId === undefined || authToken === undefined))
      throw new CommandFailure('--url needs --auth-id and --auth-token.');
    if (url !== undefined && set.length > 0)
      throw new CommandFailure(
        '--set and --url: settings are those of a platform that is started for the attack.',
      );
    const target = url === undefined ? undefined : { url, authId: authId ?? '', authToken: authToken ?? '' };
    const { verifyAppChanges } = await import('@jackfield/contract');
    const known = Object.keys(verifyAppChanges.properties);
    const settings = Object.fromEntries(set.map((text) => settingOf(text, known)));
    const { attackVerification } = await import('../../verify-attack/verify-attack.ts');
    try {
      const { text, findings } = await attackVerification(
        {
          ...numbers,
          ...(target === undefined
            ? { app: settings }
            : { target: { ...target, ...(appUuid === undefined ? {} : { appUuid }) } }),
          progress: (attack) => process.stderr.write(`${attack} …\n`),
        },
        readEnvironment(),
      );
      process.stdout.write(`\n${text}`);
      endProcess(findings.every(({ holds }) => holds) ? 0 : 1);
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      endProcess(1);
    }
  },
};

/** Parses `code_length=4` for the API: numbers become numbers. */
function settingOf(text: string, known: readonly string[]): [string, string | number] {
  const [name = '', ...rest] = text.split('=');
  const value = rest.join('=');
  if (!known.includes(name))
    throw new CommandFailure(
      `--set is "${text}": an app has no setting ${name}; it has ${known.join(', ')}.`,
    );
  return [name, /^\d+$/.test(value) ? Number(value) : value];
}
