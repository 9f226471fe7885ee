import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

const keyBytes = 32;

/** The operator's key of 32 bytes, written as 64 hex digits or as base64 (either alphabet); undefined for any other text. */
export function parseSecretKey(text: string): Uint8Array | undefined {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex');
  // 32 bytes are 43 digits of base64 and one of padding.
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) return undefined;
  const bytes = Buffer.from(trimmed, 'base64');
  return bytes.length === keyBytes ? bytes : undefined;
}

/**
 * The key in `<dataDir>/secret.key`; created once, readable by its owner only. Throws when the file holds no key, and when it is missing
 * while encrypted data exists.
 */
export function openSecretKey(dataDir: string, mayMake = true): Uint8Array {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'secret.key');
  const text = readIfThere(path) ?? (mayMake ? writeOnce(path) : undefined);
  if (text === undefined) {
    throw new Error(
      `${path} is missing, and the database was written with a secret key: restore the file from a backup, or set JACKFIELD_SECRET_KEY to that key`,
    );
  }
  const key = parseSecretKey(text);
  if (key === undefined) {
    throw new Error(`${path} holds no key of ${keyBytes} bytes in hex or base64; restore it from a backup`);
  }
  return key;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes the file under its name only when complete, and never over the key of a faster process. */
function writeOnce(path: string): string {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(unfinished, 'wx', 0o600);
  try {
    writeSync(file, `${randomBytes(keyBytes).toString('hex')}\n`);
    fsyncSync(file);
    linkSync(unfinished, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(file);
    rmSync(unfinished, { force: true });
  }
  return readFileSync(path, 'utf8');
}
