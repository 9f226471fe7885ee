/** Time between two questions whether the server answers again. */
const askEveryMs = 2_000;
/** A question on a connection that is dead has no answer, and nothing closes it for minutes. */
const answerMs = 10_000;

let isLost = $state(false);
const listeners = new Set<() => void>();

/** Whether the server answers. */
export const connection = {
  get isLost(): boolean {
    return isLost;
  },
  /** Calls the listener each time the server answers again; returns the function that stops it. */
  onReturn(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** A request had no answer: asks until there is one. */
export function noteLost(): void {
  if (isLost) return;
  isLost = true;
  setTimeout(() => void ask(), askEveryMs);
}

async function ask(): Promise<void> {
  // A proxy before the server answers as well while the server is away, but not with these.
  const signal = AbortSignal.timeout(answerMs);
  const isBack = await fetch('/console/session', { credentials: 'same-origin', signal }).then(
    ({ status }) => status === 200 || status === 401,
    () => false,
  );
  if (!isBack) {
    setTimeout(() => void ask(), askEveryMs);
    return;
  }
  isLost = false;
  for (const listener of [...listeners]) listener();
}
