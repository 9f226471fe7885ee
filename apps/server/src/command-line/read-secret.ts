import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CommandFailure } from './command.ts';

/** A secret from standard input: never an argument, which every user of the machine can read. A terminal does not show it. */
export async function readSecret(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  const secret = stdin.isTTY ? await asked(prompt) : (await text(stdin)).trim();
  if (secret === '')
    throw new CommandFailure(`${prompt.replace(/: $/, '')} is empty: write it to standard input.`);
  return secret;

  async function asked(question: string): Promise<string> {
    const nothing = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: stdin, output: nothing, terminal: true });
    stderr.write(question);
    try {
      return (await lines.question('')).trim();
    } finally {
      lines.close();
      stderr.write('\n');
    }
  }
}
