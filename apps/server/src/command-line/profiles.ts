import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../data-directory.ts';
import { explainWriting } from '../write-faults.ts';
import { CommandFailure } from './command.ts';
import { isHttpUrl } from './option-values.ts';
import { isJsonObject, mistakeIn, readJsonFile } from './read-json-file.ts';

/** A server and an account on it. */
export interface Profile {
  readonly url: string;
  readonly authId: string;
  readonly authToken: string;
}

/** A profile, and where it comes from, for messages. */
export interface ChosenProfile extends Profile {
  readonly from: string;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Profiles = Readonly<Record<string, Profile>>;

const profileFields = ['url', 'authId', 'authToken'] as const;
const profileName = /^[a-z0-9][a-z0-9_-]{0,39}$/i;

/** The profile used without `--profile` where the environment names no account. */
const usual = 'default';

/** `$XDG_CONFIG_HOME/jackfield/profiles.json`, by default below `~/.config`. */
export function profilesFile(env: Environment): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'jackfield', 'profiles.json');
}

/** The profile with this name; without a name that of the variables that `jackfield dev` prints, then the one called default. */
export function chooseProfile(name: string | undefined, env: Environment): ChosenProfile {
  if (name === undefined && env.JACKFIELD) return ofEnvironment(env.JACKFIELD, env.AUTH ?? '');
  const file = profilesFile(env);
  const profiles = readProfiles(file);
  const profile = profileOf(profiles, name ?? usual);
  if (profile !== undefined) return { ...profile, from: `the profile ${name ?? usual}` };
  const names = Object.keys(profiles);
  const known = names.length === 0 ? 'has no profile' : `has ${names.join(', ')}`;
  throw new CommandFailure(
    name === undefined
      ? `No account is chosen: use --profile (${file} ${known}), make one called ${usual} with jackfield profile add ${usual}, or export the variables JACKFIELD and AUTH that jackfield dev prints.`
      : `--profile is "${name}": ${file} ${known}; jackfield profile add ${name} makes it.`,
  );
}

/** Undefined for the names that every object inherits. */
export function profileOf(profiles: Profiles, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

function ofEnvironment(account: string, auth: string): ChosenProfile {
  const found = /^(https?:\/\/[^/]+)\/v1\/Account\/(MA[A-Z0-9]{18}|SA[A-Z0-9]{18})\/?$/.exec(account);
  if (found === null || !URL.canParse(account))
    throw new CommandFailure(
      `JACKFIELD is "${account}": use the URL of an account, such as http://127.0.0.1:8080/v1/Account/MA…, or unset it.`,
    );
  const [, url = '', authId = ''] = found;
  const colon = auth.indexOf(':');
  if (auth.slice(0, colon) !== authId || colon === auth.length - 1)
    throw new CommandFailure(`AUTH must be ${authId}:<auth_token>, the account of JACKFIELD and its token.`);
  return { url, authId, authToken: auth.slice(colon + 1), from: 'JACKFIELD' };
}

/** Every profile of the file; throws a sentence with the name and the field that cannot be used. */
export function readProfiles(file: string): Profiles {
  if (!existsSync(file)) return {};
  const profiles = readJsonFile(file, 'mend it, or remove it and add the profiles anew');
  if (!isJsonObject(profiles)) throw mistakeIn(file, 'it must be an object with a profile under each name');
  for (const [name, profile] of Object.entries(profiles)) {
    if (!isJsonObject(profile))
      throw mistakeIn(file, `${name} must be an object with ${profileFields.join(', ')}`);
    const wrong = profileFields.find((field) => typeof profile[field] !== 'string');
    if (wrong !== undefined)
      throw mistakeIn(file, `${name}.${wrong} must be a text; a profile has ${profileFields.join(', ')}`);
    if (!isHttpUrl(String(profile.url)))
      throw mistakeIn(
        file,
        `${name}.url must be a URL such as https://calls.example.com, not ${JSON.stringify(profile.url)}`,
      );
  }
  return profiles as Profiles;
}

/** Replaces the whole file, for its owner alone; throws the sentence where it cannot be written. */
export function writeProfiles(file: string, profiles: Profiles): void {
  const unfinished = `${file}.${process.pid}`;
  try {
    makeDirectory(dirname(file));
  } catch (error) {
    throw notKept(error, file);
  }
  try {
    writeFileSync(unfinished, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
    chmodSync(unfinished, 0o600);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw notKept(error, file);
  }
}

function notKept(error: unknown, file: string): CommandFailure {
  return new CommandFailure(
    `The profiles cannot be kept: ${explainWriting(error, file) ?? (error as Error).message}.`,
  );
}

/** Throws unless the text can be the name of a profile. */
export function checkProfileName(name: string): void {
  if (!profileName.test(name))
    throw new CommandFailure(
      `The name of the profile is "${name}": use 1 to 40 letters, digits, hyphens and underscores.`,
    );
}
