import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The rule holds for commits after this one. */
const since = '2c4160e5b55e0e284dd4db257535bfca3a5bc6d4';
const longestSubject = 72;

const form = /^[a-z][a-z0-9-]*(?:, [a-z][a-z0-9-]*)*: (\S.*)$/;
// The imperative is what stands first: `add`, not `added`, `adds` or `adding`.
const otherForms =
  /^(?:\w+ed|\w+ing|(?:add|fix|remove|change|move|make|use|write|check|let|keep|say|send)s)\b/i;
const imperatives = new Set([
  'bring',
  'embed',
  'feed',
  'need',
  'proceed',
  'seed',
  'shed',
  'speed',
  'ring',
  'sing',
  'string',
]);

/** What is wrong with a message: `area: imperative`, at most 72 characters, an empty line, a body that says why. */
export function faultsOf(message: string): readonly string[] {
  const [subject = '', second = '', ...rest] = message.trimEnd().split('\n');
  const faults: string[] = [];
  const said = form.exec(subject)?.[1];
  if (said === undefined)
    faults.push('the subject has the form `area: imperative`, e.g. `sip: answer OPTIONS`');
  const verb = said?.split(/\s/)[0] ?? '';
  if (otherForms.test(verb) && !imperatives.has(verb))
    faults.push(`'${verb}' is no imperative: say what the commit does, e.g. \`add\``);
  if (subject.length > longestSubject)
    faults.push(`the subject has ${subject.length} characters; at most ${longestSubject}`);
  if (second !== '') faults.push('the second line is empty');
  if (rest.every((line) => line.trim() === '')) faults.push('a body says why');
  return faults;
}

export interface Commit {
  readonly id: string;
  readonly message: string;
}

/** The commits of HEAD that the rule holds for, without merges: those after `since`, or none where the clone does not reach back to it. */
export function commitsAfter(since: string, root: string): readonly Commit[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    git('merge-base', '--is-ancestor', since, 'HEAD');
  } catch {
    // A shallow clone, an archive without history, or a branch that began before the rule.
    return [];
  }
  return git('log', '--no-merges', '--format=%h%x00%B%x01', `${since}..HEAD`)
    .split('\x01')
    .map((entry) => entry.trimStart().split('\0'))
    .flatMap(([id, message]) => (id === undefined || message === undefined ? [] : [{ id, message }]));
}

if (import.meta.main) {
  const commits = commitsAfter(since, join(import.meta.dirname, '../..'));
  for (const { id, message } of commits) {
    for (const fault of faultsOf(message)) {
      console.log(`${id} ${message.split('\n')[0]}: ${fault}`);
      process.exitCode = 1;
    }
  }
  console.log(`${commits.length} commit messages read`);
}
