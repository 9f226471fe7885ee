import { isIP, isIPv6 } from 'node:net';
import type {
  CallingNotice,
  CallingPhones,
  FaultyNetwork,
  SandboxNetwork,
  SessionRunner,
  Voicemail,
} from '@jackfield/platform';
import { behaviours, startSandboxPhones } from '@jackfield/platform';
import type {
  Clock,
  Logger,
  Media,
  MediaClips,
  MediaLegs,
  NumberRoutes,
  Secrets,
  Speech,
} from '@jackfield/ports';
import { admitAll, createSipEdge } from '@jackfield/signalling';
import { hostOfAddress } from '@jackfield/sip';
import { createTransports } from '@jackfield/sip/transport';
import { loadSandboxClips } from './sandbox-clips.ts';

export interface SandboxDeps {
  readonly media: Media;
  readonly mediaLegs: MediaLegs;
  readonly clips: MediaClips;
  readonly speech: Speech;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly log: Logger;
  /** The address that media is bound to. */
  readonly mediaHost: string;
}

/** The listening address of the platform's SIP. */
interface Listening {
  readonly host: string;
  readonly port: number;
}

/** The substitute for the public network: real phones behind their own SIP port on loopback. */
export interface Sandbox {
  readonly numbers: NumberRoutes;
  /** Its phones as callers; they call once it is open. */
  readonly network: SandboxNetwork & FaultyNetwork;
  /** Opens the phones' port and prepares their sentences; `platform` is the target of their calls. */
  open(runner: SessionRunner, voicemail: Voicemail, platform: Listening): Promise<void>;
  census(): { readonly legs: number; readonly transactions: number };
  close(): Promise<void>;
}

export function createSandbox(deps: SandboxDeps): Sandbox {
  // A platform on IPv6 reaches only IPv6 addresses.
  const loopback = isIPv6(deps.mediaHost) ? '::1' : '127.0.0.1';
  const edge = createSipEdge({
    ...deps,
    openTransports: (listener) => createTransports({ host: loopback, port: 0, ...listener }),
    admission: admitAll('sandbox'),
    domains: [loopback],
    addressFor: () => loopback,
    // Media shares the ports of the platform: media bound to one address is not reachable at another.
    mediaAddress: isIP(deps.mediaHost) === 0 || isAnyAddress(deps.mediaHost) ? loopback : deps.mediaHost,
    userAgentName: 'Jackfield sandbox phone',
  });
  let phones: CallingPhones | undefined;
  let callAt = '';
  let heard: (notice: CallingNotice) => void = () => {};
  let refusal: () => number | undefined = () => undefined;

  return {
    network: {
      async call(order) {
        if (phones === undefined) throw new Error('the sandbox is not open');
        await phones.call({ ...order, uri: `sip:${encodeURIComponent(order.to)}@${callAt}` });
      },
      hangUp: (leg) => phones?.hangUp(leg),
      listen(listener) {
        heard = listener;
      },
      refuseWith(asked) {
        refusal = asked;
      },
    },
    numbers: {
      targetsFor: (number) =>
        behaviours.has(number)
          ? [{ uri: `sip:${number}@${hostOfAddress(loopback)}:${edge.address().port}` }]
          : undefined,
    },
    async open(runner, voicemail, { host, port }) {
      await loadSandboxClips(deps);
      const { telephony } = edge;
      const phoneDeps = { ...deps, runner, telephony, voicemail, refusal: () => refusal() };
      phones = startSandboxPhones(phoneDeps, (notice) => heard(notice));
      callAt = `${hostOfAddress(isAnyAddress(host) ? loopback : host)}:${port}`;
      await edge.telephony.open();
    },
    census: () => edge.census(),
    close: () => edge.close(),
  };
}

function isAnyAddress(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}
