import type { Command } from '../command.ts';
import { type CommandTable, completionScript, type Shell, shells } from '../completion-script.ts';

/** The table has this command among its own. */
export const createCompletion = (table: () => CommandTable): Command => ({
  name: 'completion',
  summary: 'prints a script that completes commands and options: eval "$(jackfield completion bash)"',
  arguments: [{ name: 'shell', summary: 'the shell that reads the script', choices: shells }],
  run: ([shell]) => void process.stdout.write(completionScript(shell as Shell, table())),
});
