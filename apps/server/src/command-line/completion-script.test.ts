import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { commandGroups, commands } from './commands.ts';
import { completionScript, shells } from './completion-script.ts';

const missing = (shell: string) =>
  spawnSync('which', [shell]).status === 0 ? false : `${shell} is not installed`;

/** The words that bash offers behind `typed`, whose last word is the one at the cursor. */
function offered(typed: string): readonly string[] {
  const words = typed.split(' ');
  const program = `${completionScript('bash', { commands, groups: commandGroups })}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_jackfield
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', program], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout.trim().split('\n');
}

describe('completion in bash', { skip: missing('bash') }, () => {
  it('offers every command and group behind the program', () => {
    const firsts = [...new Set(commands.map(({ name }) => name.split(' ')[0]!))];
    assert.deepEqual([...offered('jackfield ')].sort(), firsts.sort());
    assert.deepEqual(offered('jackfield pro'), ['profile']);
  });

  it('offers the commands of a group, and the options of a command', () => {
    assert.deepEqual(offered('jackfield calls '), ['list', 'show', 'dial', 'hangup']);
    assert.deepEqual(offered('jackfield calls list --l'), ['--live', '--limit']);
    assert.deepEqual(offered('jackfield calls list --live --js'), ['--json']);
    assert.deepEqual(offered('jackfield listen 3f6c --out'), ['--output']);
    assert.deepEqual(offered('jackfield completion '), [...shells]);
  });
});

for (const shell of shells) {
  it(`the script for ${shell} has the syntax of ${shell}`, { skip: missing(shell) }, () => {
    const directory = mkdtempSync(join(tmpdir(), 'completion-'));
    try {
      // Of a pipe, fish reads no script.
      const file = join(directory, 'script');
      writeFileSync(file, completionScript(shell, { commands, groups: commandGroups }));
      const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
}

it('each command has a summary and a name of one or two words', () => {
  const names = commands.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const { name, summary } of commands) {
    assert.match(name, /^[a-z-]+( [a-z-]+)?$/);
    assert.notEqual(summary, '');
    const [first = '', second] = name.split(' ');
    assert.equal(second !== undefined, Object.hasOwn(commandGroups, first), name);
  }
});
