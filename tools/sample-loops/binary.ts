import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import loadWabt from 'wabt';

const folder = join(import.meta.dirname, '../../packages/media/src/samples');
export const binaryPath = join(folder, 'sample-loops-binary.ts');

/** The module with the binary of `sample-loops.wat`: a clone runs without a build, so the binary is a file of the repository. */
export async function binaryText(): Promise<string> {
  const wabt = await loadWabt();
  const source = await readFile(join(folder, 'sample-loops.wat'), 'utf8');
  const features = { simd: true, bulk_memory: true, sat_float_to_int: true };
  const module = wabt.parseWat('sample-loops.wat', source, features);
  try {
    module.validate();
    const { buffer } = module.toBinary({});
    return `/** Written by \`tools/sample-loops/write-binary.ts\` from \`sample-loops.wat\`. */
export const sampleLoops = new Uint8Array([
${linesOf(buffer)}
]);
`;
  } finally {
    module.destroy();
  }
}

/** As the formatter breaks a list of numbers. */
function linesOf(bytes: Uint8Array): string {
  const lines: string[] = [];
  let line = ' ';
  for (const byte of bytes) {
    if (line.length + ` ${byte},`.length > 110) {
      lines.push(line);
      line = ' ';
    }
    line += ` ${byte},`;
  }
  return [...lines, line].join('\n');
}
