import { Agent, request } from 'node:http';
import type { Load } from '../measure.ts';
import { servePart } from '../part.ts';

export interface BareRun {
  readonly port: number;
  readonly count: number;
  readonly window: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The floor of callbacks: requests of the same size by Node's own client, without storing and signing. */
const agent = new Agent({ keepAlive: true });

function post({ port, headers, body }: BareRun): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { port, host: '127.0.0.1', method: 'POST', path: '/in', headers, agent },
      (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

servePart({
  async run(order: BareRun): Promise<Load> {
    let begun = 0;
    let failures = 0;
    const began = performance.now();
    const worker = async () => {
      while (begun < order.count) {
        begun++;
        if ((await post(order)) !== 200) failures++;
      }
    };
    await Promise.all(Array.from({ length: order.window }, worker));
    return { operations: order.count, seconds: (performance.now() - began) / 1000, failures };
  },
  stop: () => agent.destroy(),
});
