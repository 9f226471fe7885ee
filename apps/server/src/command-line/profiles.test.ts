import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CommandFailure } from './command.ts';
import { chooseProfile, profileOf, profilesFile } from './profiles.ts';

const account = 'MA0123456789ABCDEFGH';
const kept = { url: 'https://calls.example.com', authId: account, authToken: 'token' };

/** An environment whose profiles are these. */
function environmentWith(t: TestContext, profiles: unknown) {
  const directory = mkdtempSync(join(tmpdir(), 'profiles-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const env = { XDG_CONFIG_HOME: directory };
  mkdirSync(dirname(profilesFile(env)));
  writeFileSync(profilesFile(env), JSON.stringify(profiles, null, 2));
  return env;
}

const failure = (sentence: RegExp) => (error: unknown) =>
  error instanceof CommandFailure && sentence.test(error.message);

test('a profile is chosen by its name, and names that every object inherits are none', (t) => {
  const env = environmentWith(t, { staging: kept });
  assert.deepEqual(chooseProfile('staging', env), { ...kept, from: 'the profile staging' });
  for (const name of ['constructor', 'toString', 'valueOf']) {
    assert.throws(
      () => chooseProfile(name, env),
      failure(new RegExp(`^--profile is "${name}": .* has staging`)),
    );
    assert.equal(profileOf({ staging: kept }, name), undefined);
  }
});

test('a profile that cannot be used is refused with its line, its field and what is allowed', (t) => {
  for (const [profile, sentence] of [
    [7, /: line 2: staging must be an object with url, authId, authToken\.$/],
    [{ ...kept, authToken: 7 }, /: line 5: staging\.authToken must be a text; a profile has url, authId/],
    [{ ...kept, url: 'calls' }, /: line 3: staging\.url must be a URL such as https:.*, not "calls"\.$/],
    [{ ...kept, url: 'https://calls.example.com:99999' }, /staging\.url must be .*, not "https:.*:99999"\.$/],
  ] as const)
    assert.throws(
      () => chooseProfile('staging', environmentWith(t, { staging: profile })),
      failure(sentence),
    );
});

test('JACKFIELD that is no URL of an account is refused', () => {
  for (const text of [
    'here',
    `http://127.0.0.1:99999/v1/Account/${account}`,
    'http://127.0.0.1/v1/Account/MA1',
  ])
    assert.throws(
      () => chooseProfile(undefined, { JACKFIELD: text, AUTH: `${account}:token` }),
      failure(/^JACKFIELD is ".*": use the URL of an account/),
    );
});
