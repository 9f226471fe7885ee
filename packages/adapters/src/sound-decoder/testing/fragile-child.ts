import type { DecodeOrder, DecodeReport } from '../protocol.ts';

/** Follows the file's content: hangs, dies with or without a reported turn, or makes a clip of as many samples. */
process.on('message', (order: DecodeOrder) => {
  if (order.type === 'decode') return;
  const { job } = order;
  const what = Buffer.from(order.bytes).toString();
  if (what === 'quiet death') process.exit(1);
  setImmediate(() => {
    report({ type: 'turn', job }, () => {
      if (what === 'hang') for (;;);
      if (what === 'die') process.exit(1);
    });
    if (what === 'hang' || what === 'die') return;
    report({ type: 'begun', job, sampleRate: 8_000, mostSamples: what.length });
    report({ type: 'samples', job, samples: new Int16Array(what.length) });
    report({ type: 'done', job });
  });
});

function report(message: DecodeReport, sent: () => void = () => {}): void {
  process.send!(message, sent);
}
