import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the token of the first account where its operator alone reads it; gives the path. */
export function writeTokenFile(directory: string, authToken: string): string {
  const path = join(directory, 'auth_token');
  writeFileSync(path, `${authToken}\n`, { mode: 0o600 });
  // The mode of writeFile holds for a new file alone.
  chmodSync(path, 0o600);
  return path;
}
