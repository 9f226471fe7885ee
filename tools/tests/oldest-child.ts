import { readFile } from 'node:fs/promises';

/** The child process of `parent` that started first, with its command line; undefined without one, or where /proc has no list. */
export async function oldestChild(
  parent: number,
): Promise<{ readonly pid: number; readonly command: string } | undefined> {
  try {
    const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8');
    const pid = Number(children.split(' ')[0]);
    if (!Number.isInteger(pid) || pid <= 0) return undefined;
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').filter(Boolean).at(-1) ?? '';
    return { pid, command };
  } catch {
    return undefined;
  }
}
