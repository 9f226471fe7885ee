import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import smpp, { type Pdu } from 'smpp';
import { quantile } from '../measure.ts';
import { servePart } from '../part.ts';

export interface VerifyRun {
  readonly httpUrl: string;
  readonly path: string;
  readonly authorization: string;
  readonly count: number;
  readonly atOnce: number;
  /** Requests a second; without a limit when left out. */
  readonly rate?: number;
}

export interface VerifyOutcome {
  readonly operations: number;
  readonly failures: number;
  readonly seconds: number;
  /** From the request to the submit_sm. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Blocks of 10,000 numbers, because each has a limit of sends. */
const areas = [
  201, 202, 203, 205, 206, 207, 208, 209, 210, 212, 213, 214, 215, 216, 217, 218, 219, 224, 225, 228, 229,
  231, 234, 239, 240,
];
const asked = new Map<string, number>();
const waits: number[] = [];
let messages = 0;
let next = 0;

/**
 * A message centre that accepts all messages at once and sends a receipt for each, and the client that requests codes.
 */
const smsc = smpp.createServer({}, (session) => {
  session.on('error', () => {});
  session.on('bind_transceiver', (pdu: Pdu) => void session.send(pdu.response()));
  session.on('enquire_link', (pdu: Pdu) => void session.send(pdu.response()));
  session.on('unbind', (pdu: Pdu) => void session.send(pdu.response()));
  session.on('submit_sm', (pdu: Pdu) => {
    const since = asked.get(String(pdu.destination_addr));
    if (since !== undefined) waits.push(performance.now() - since);
    const id = `m${++messages}`;
    session.send(pdu.response({ message_id: id }));
    session.deliver_sm({ esm_class: 4, short_message: '', receipted_message_id: id, message_state: 2 });
  });
});

servePart({
  async start() {
    smsc.listen(0, '127.0.0.1');
    await once(smsc, 'listening');
    return (smsc.address() as AddressInfo).port;
  },
  run,
});

async function run({ httpUrl, path, authorization, count, atOnce, rate }: VerifyRun): Promise<VerifyOutcome> {
  waits.length = 0;
  const begun = performance.now();
  let started = 0;
  let failures = 0;
  let last = '';
  const ask = async (method: string, where: string, body?: string) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(`${httpUrl}${path}${where}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: any answer of the interface
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const work = async () => {
    while (started < count) {
      const due = begun + (started++ * 1000) / (rate ?? Number.POSITIVE_INFINITY);
      const wait = due - performance.now();
      if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
      const index = next++;
      const number = `1${areas[index % areas.length]}555${2000 + Math.floor(index / areas.length)}`;
      asked.set(number, performance.now());
      const { status, body } = await ask(
        'POST',
        'Verify/Session/',
        JSON.stringify({ recipient: `+${number}`, fraud_check: 'off' }),
      );
      if (status === 202) last = body.session_uuid;
      else failures++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  // A session ends when its receipt is recorded, so the load waits for the last one.
  for (;;) {
    const { body } = await ask('GET', `Verify/Session/${last}/`);
    if (waits.length >= count - failures && body.attempt_details?.[0]?.status === 'delivered') break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const seconds = (performance.now() - begun) / 1000;
  const sorted = [...waits].sort((one, other) => one - other);
  return {
    operations: count,
    failures,
    seconds,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
  };
}
