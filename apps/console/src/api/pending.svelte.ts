import { untrack } from 'svelte';

/** An answer that comes earlier needs no sign that it is awaited. */
const slowMs = 400;

let slow = $state(0);

/** Requests that take longer than the reader expects. */
export const pending = {
  get isSlow(): boolean {
    return slow > 0;
  },
};

/** Counts a request among the slow ones until it is settled. */
export async function watched<Value>(request: Promise<Value>): Promise<Value> {
  let isSlow = false;
  const timer = setTimeout(() => {
    isSlow = true;
    slow += 1;
  }, slowMs);
  try {
    return await request;
  } finally {
    clearTimeout(timer);
    if (isSlow) untrack(() => (slow -= 1));
  }
}
