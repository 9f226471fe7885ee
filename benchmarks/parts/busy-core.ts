import { servePart } from '../part.ts';

/** Another program that never rests: it occupies the core on which it is started. */
let isOver = false;
let turns = 0;

servePart({
  start() {
    isOver = false;
    spin();
  },
  turns: () => turns,
  stop() {
    isOver = true;
  },
});

/** Bursts of 20 ms, with a turn of the event loop between them so that questions are answered. */
function spin(): void {
  const end = performance.now() + 20;
  while (performance.now() < end) turns++;
  if (!isOver) setImmediate(spin);
}
