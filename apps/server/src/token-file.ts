import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the token of the first account to a file that only its operator can read; returns the path. */
export function writeTokenFile(directory: string, authToken: string): string {
  const path = join(directory, 'auth_token');
  writeFileSync(path, `${authToken}\n`, { mode: 0o600 });
  // The mode of writeFile applies to new files only.
  chmodSync(path, 0o600);
  return path;
}
