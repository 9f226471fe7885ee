import type { Clock, Logger, Secrets } from '@jackfield/ports';
import { createUserAgent, type UserAgentDeps } from '@jackfield/sip';
import { type AddressFor, hostOf } from '../address-for.ts';
import { createEdgeTransports, type EdgeTransportsDeps, transportOf } from '../edge-transports.ts';
import { createCarrierRequests } from './carrier-requests.ts';

export interface CarrierProbeDeps extends Pick<EdgeTransportsDeps, 'openTransports'> {
  /** Resolves URIs whose host is a name (RFC 3263); the transports use the name unchanged when absent. */
  readonly locate?: UserAgentDeps['locate'];
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'randomBytes' | 'randomUuid'>;
  readonly log: Logger;
  /** Our address in Via. */
  readonly addressFor: AddressFor;
  /** The host of our From. */
  readonly domain: string;
}

/** OPTIONS to carriers without a platform: nothing is accepted, and nothing is stored. */
export interface CarrierProbe {
  /** The status of the answer; undefined where none has come by the time limit. */
  probe(uri: string, limitMs: number): Promise<number | undefined>;
  close(): Promise<void>;
}

/** Opens the transports and sends on request; rejects where they cannot be opened. */
export async function openCarrierProbe(deps: CarrierProbeDeps): Promise<CarrierProbe> {
  const { clock, secrets, locate, addressFor } = deps;
  const transports = createEdgeTransports(deps);
  const userAgent = createUserAgent({
    clock,
    send: transports.send,
    flow: transports.flowById,
    ...(locate === undefined ? {} : { locate }),
    address: (protocol, peer) => ({ host: addressFor(peer), port: transports.portOf(protocol) }),
    token: () => Buffer.from(secrets.randomBytes(12)).toString('hex'),
    userAgentName: 'Jackfield',
    methods: [],
    on: { request: ({ reply }) => reply(405) },
  });
  await transports.open(userAgent);
  const requests = createCarrierRequests({
    request: userAgent.request,
    accounts: () => undefined,
    addressFor: (uri) => ({ host: addressFor(hostOf(uri)), port: transports.portOf(transportOf(uri)) }),
    domain: deps.domain,
    secrets,
  });
  return {
    probe: (uri, limitMs) =>
      new Promise((resolve) => {
        // Before RFC 3261 §17.1.2.2 ends the transaction, 32 s after its beginning.
        const cancel = clock.startTimer(clock.now() + limitMs, () => resolve(undefined));
        requests.probe(uri, (status) => {
          cancel();
          resolve(status);
        });
      }),
    async close() {
      userAgent.close();
      await transports.close();
    },
  };
}
