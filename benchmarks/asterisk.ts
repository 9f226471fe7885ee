import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The directory of the system in which Asterisk is installed: `ASTERISK_ROOT`, or `/`. Throws where there is none. */
export function asteriskRoot(): string {
  const { ASTERISK_ROOT: root = '/' } = process.env;
  if (existsSync(join(root, 'usr/sbin/asterisk'))) return root;
  throw new Error(
    `asterisk is not installed in ${root}: ASTERISK_ROOT names the root of a system that has it, for example made by debootstrap of Debian unstable`,
  );
}

/** What the Asterisk of a bench answers without a phone of that name. */
export const dialplan = {
  /** Answers and waits for keys, as the document of `document-server.ts` does. */
  menu: 'menu',
  /** Followed by a number: a mixed room. */
  room: 'room',
} as const;
