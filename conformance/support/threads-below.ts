import { readdirSync, readFileSync } from 'node:fs';

/** What each thread of a process and of its children is doing, a line each: for the message of a test whose program does not end. */
export function threadsBelow(pid: number): string {
  const threads = readdirSync(`/proc/${pid}/task`);
  const lines = threads.map((thread) => {
    const read = (file: string) => readFileSync(`/proc/${pid}/task/${thread}/${file}`, 'utf8').trim();
    const state = /^State:\s*(.*)$/m.exec(read('status'))?.[1];
    return `${pid}/${thread} ${read('comm')}: ${state}, in ${read('wchan')}, system call ${read('syscall')}`;
  });
  const children = threads.flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return [...lines, ...children.map((child) => threadsBelow(Number(child)))].join('\n');
}
