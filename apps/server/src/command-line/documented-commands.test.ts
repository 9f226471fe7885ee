import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CommanderError } from 'commander';
import { buildProgram } from './build-program.ts';

const root = join(import.meta.dirname, '../../../..');
const pages = ['README.md', ...globSync(['docs/**/*.md', 'packages/*/README.md'], { cwd: root })];

/** The arguments of each `jackfield …` in the blocks for a shell, without what the shell reads itself. */
function commandsOf(text: string): readonly string[] {
  return [...text.matchAll(/^```sh[^\n]*\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block
      .replaceAll('\\\n', ' ')
      .replace(/\s#.*$/gm, '')
      .split(/\n|&&|;/)
      .flatMap((line) => /^(?:\s*[A-Z_]+=\S+)*\s*(?:npx )?jackfield( .*)?$/.exec(line)?.[1] ?? [])
      // A placeholder is the value of a reader; what is redirected or piped is the shell's.
      .map((args) => args.replace(/<\w+>/g, 'value').replace(/[<>|&].*$/, '')),
  );
}

async function accepts(line: string): Promise<void> {
  const words = line.replace(/\$\([^)]*\)/g, 'value').match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  const program = buildProgram();
  let problem = '';
  const noted = (text: string): void => {
    problem += text;
  };
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap(({ commands }) => commands),
  ]) {
    command.exitOverride().configureOutput({ writeOut() {}, writeErr: noted });
    if (command.commands.length === 0) command.action(() => {});
  }
  try {
    await program.parseAsync(
      words.map((word) => word.replace(/^['"]|['"]$/g, '')),
      { from: 'user' },
    );
  } catch (error) {
    const isHelp = error instanceof CommanderError && error.exitCode === 0;
    assert.ok(isHelp, `jackfield${line}: ${problem}`);
  }
}

test('each command that a page shows has the arguments and options that the program accepts', async () => {
  const shown = pages.flatMap((page) =>
    commandsOf(readFileSync(join(root, page), 'utf8')).map((line) => ({ page, line })),
  );
  for (const { page, line } of shown) {
    await assert.doesNotReject(accepts(line), page);
  }
  assert.ok(shown.length > 15, `${shown.length} commands were found`);
});

test('a command with an option that the program does not know is refused', async () => {
  await assert.rejects(accepts(' backup --to /var/backups'), /unknown option '--to'/);
  await assert.rejects(accepts(' import'), /missing required argument 'file'/);
});
