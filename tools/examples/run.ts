import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** `npm run example NAME`: starts one of the examples, which say themselves what they do. */
const files: Readonly<Record<string, string>> = {
  echo: 'packages/stream-kit/examples/run.ts',
  parrot: 'packages/stream-kit/examples/run.ts',
  phone: 'tools/examples/phone.ts',
};
const [name = 'echo'] = process.argv.slice(2);
const file = files[name];
if (file === undefined) {
  process.stderr.write(`There is no example '${name}': the examples are ${Object.keys(files).join(', ')}.\n`);
  process.exit(2);
}
const child = spawn(process.execPath, [join(import.meta.dirname, '../..', file), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// Ctrl-C reaches the example as well, which ends first.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (signal === 'SIGTERM') child.kill(signal);
  });
child.on('exit', (code) => process.exit(code ?? 1));
