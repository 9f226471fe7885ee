import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackage, root } from './build-package.ts';
import { runCommand } from './run-command.ts';

/** Packs one package of the workspace for other projects. Returns the tarball's path; throws with the compiler's output. */
export function packPackage(name: string, into: string): string {
  return packed(name, into, (staging) => buildPackage(join(root, 'packages', name), staging));
}

/** The tarball of what `build` puts into a directory. */
export function packed(name: string, into: string, build: (staging: string) => void): string {
  mkdirSync(into, { recursive: true });
  mkdirSync(join(root, 'dist'), { recursive: true });
  const staging = mkdtempSync(join(root, 'dist', `${name}-`));
  try {
    build(staging);
    const output = runCommand(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', into],
      staging,
    );
    const packResult = JSON.parse(output) as
      | readonly { filename: string }[]
      | Record<string, { filename: string }>;
    const [tarball] = Object.values(packResult) as { filename: string }[];
    return join(into, tarball!.filename);
  } finally {
    rmSync(staging, { recursive: true });
  }
}
