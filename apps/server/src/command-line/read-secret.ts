import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CommandFailure } from './command.ts';

interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** A secret from standard input: never an argument, which every user of the machine can read. A terminal does not show it. */
export async function readSecret(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  const secret = stdin.isTTY
    ? await askSecret(prompt, { input: stdin, output: stderr })
    : (await text(stdin)).trim();
  if (secret === '') throw new CommandFailure(`${nameOf(prompt)} is empty: write it to standard input.`);
  return secret;
}

/** A secret that is typed, and not shown. */
export async function askSecret(prompt: string, { input, output }: Terminal): Promise<string> {
  const nothing = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nothing, terminal: true });
  output.write(prompt);
  try {
    return (await lines.question('')).trim();
  } catch (error) {
    // Ctrl-C and Ctrl-D.
    if ((error as NodeJS.ErrnoException).code !== 'ABORT_ERR') throw error;
    throw new CommandFailure(`${nameOf(prompt)} was not given: the command was interrupted.`);
  } finally {
    lines.close();
    output.write('\n');
  }
}

function nameOf(prompt: string): string {
  return prompt.replace(/: $/, '');
}
