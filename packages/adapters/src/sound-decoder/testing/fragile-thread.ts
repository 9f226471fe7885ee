import { parentPort } from 'node:worker_threads';
import type { DecodeOrder, DecodeReport } from '../protocol.ts';

/** Does what the file says: hangs, dies with or without having said what it works on, or makes a clip of as many samples. */
parentPort!.on('message', ({ job, file }: DecodeOrder) => {
  const what = Buffer.from(file).toString();
  if (what === 'quiet death') process.exit(1);
  setImmediate(() => {
    report({ type: 'turn', job });
    if (what === 'hang') for (;;);
    if (what === 'die') {
      // What a thread reports right before its end may be lost.
      setImmediate(() => process.exit(1));
      return;
    }
    report({ type: 'done', job, clip: { sampleRate: 8_000, samples: new Int16Array(what.length) } });
  });
});

function report(message: DecodeReport): void {
  parentPort!.postMessage(message);
}
