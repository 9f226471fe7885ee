import { explainWriting } from '../write-faults.ts';
import { interrupt } from './interruption.ts';

/**
 * A reader of the output that has gone, as in `jackfield logs --follow | head`, ends a command that goes on until it is interrupted. Any other
 * fault of an output is a failure with one sentence.
 */
export function watchOutputs(): void {
  let hasFailed = false;
  for (const output of [process.stdout, process.stderr])
    output.on('error', (error: NodeJS.ErrnoException) => {
      interrupt();
      // A terminal that was closed gives EIO.
      if (error.code === 'EPIPE' || (error.code === 'EIO' && output.isTTY)) return;
      process.exitCode = 1;
      if (hasFailed || output === process.stderr) return;
      hasFailed = true;
      process.stderr.write(`${explainWriting(error, 'standard output') ?? error.message}\n`);
    });
}
