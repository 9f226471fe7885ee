const ends = new Set<() => void>();

/** Calls `end` at Ctrl-C, SIGTERM, and the end of the terminal or of its connection. The same signal once more ends the process. */
export function onInterruption(end: () => void): void {
  ends.add(end);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
}

/** Aborted by an interruption. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  onInterruption(() => controller.abort());
  return controller.signal;
}

/** Ends a command that goes on until it is interrupted; any other one comes to its end. */
export function interrupt(): void {
  for (const end of ends) end();
}
