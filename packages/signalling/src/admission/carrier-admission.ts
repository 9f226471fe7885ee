import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import type { Clock, Logger } from '@jackfield/ports';
import type { SipRequest } from '@jackfield/sip';
import { trunkOf } from '../parties/domains.ts';
import { partyOfUri } from '../parties/parties.ts';
import type { Admission, Admitted, Refused } from './admission.ts';

export interface CarrierAdmissionDeps {
  readonly carriers: readonly {
    readonly name: string;
    readonly host: string;
    readonly addresses: readonly string[];
  }[];
  /** The account that owns a number; undefined while the platform starts. */
  readonly account: (number: string) => Promise<string | undefined> | string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** SIP domains of this server, lower case. */
  readonly domains: readonly string[];
  /** Decides about every other request. */
  readonly otherwise: Admission;
}

/** Admission that recognises carriers by their addresses. */
export interface CarrierAdmission extends Admission {
  /** Whether the address belongs to a carrier. */
  knows(address: string): boolean;
  close(): void;
}

/** Five minutes: the lifetime of most DNS records of carrier hosts. */
const lookUpEveryMs = 300_000;

/** Admits calls from the addresses of carriers: carriers neither register nor answer the challenges of their customers. */
export function createCarrierAdmission(deps: CarrierAdmissionDeps): CarrierAdmission {
  const listed = deps.carriers.map(({ name, host, addresses }) => ({
    name,
    host: host.replace(/^\[|\]$/g, ''),
    fixed: blockListOf([...addresses, ...(isIP(host.replace(/^\[|\]$/g, '')) === 0 ? [] : [host])]),
    found: new Set<string>(),
  }));
  const named = listed.filter(({ host }) => isIP(host) === 0);
  let cancel: (() => void) | undefined;
  let isClosed = false;

  async function lookUp(): Promise<void> {
    for (const carrier of named) {
      try {
        const found = await lookup(carrier.host, { all: true });
        carrier.found = new Set(found.map(({ address }) => address));
      } catch (error) {
        // The last result stays in use: an unreachable name server changes no address.
        deps.log.warn({ carrier: carrier.name, err: error }, 'carrier host lookup failed');
      }
    }
    if (!isClosed) cancel = deps.clock.startTimer(deps.clock.now() + lookUpEveryMs, () => void lookUp());
  }
  if (named.length > 0) void lookUp();

  function senderOf(address: string): string | undefined {
    const plain = address.replace(/^::ffff:/i, '');
    const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
    if (isIP(plain) === 0) return undefined;
    return listed.find(({ fixed, found }) => found.has(plain) || fixed.check(plain, family))?.name;
  }

  /** An INVITE from an address of a carrier. */
  async function admitFrom(
    carrier: string,
    ...sent: Parameters<Admission['admit']>
  ): Promise<Admitted | Refused> {
    const callee = calledNumber(sent[0]);
    if (callee === undefined) return { ok: false, status: 404, headers: [] };
    const account = await deps.account(callee);
    if (account === undefined) return deps.otherwise.admit(...sent);
    return { ok: true, account, endpoint: '', user: '', carrier, callee };
  }

  return {
    admit(request, source, flow) {
      const mayBeCarrier = request.method === 'INVITE' && trunkOf(request.uri, deps.domains) === undefined;
      const carrier = mayBeCarrier ? senderOf(source) : undefined;
      if (carrier === undefined) return deps.otherwise.admit(request, source, flow);
      return admitFrom(carrier, request, source, flow);
    },
    knows: (address) => senderOf(address) !== undefined,
    close() {
      isClosed = true;
      cancel?.();
    },
  };
}

/** A network such as 192.0.2.0/24, or an address. */
function blockListOf(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const each of addresses) {
    const [address = '', bits] = each.replace(/^\[|\]$/g, '').split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Carriers write the number into the Request-URI, or into To where the Request-URI is our registered Contact. */
function calledNumber(request: SipRequest): string | undefined {
  const to = request.headers.address('To');
  for (const uri of [request.uri, to?.uri ?? '']) {
    const digits = /^\+?([1-9][0-9]{2,14})$/.exec(partyOfUri(uri)?.replace(/[-.()]/g, '') ?? '')?.[1];
    if (digits !== undefined) return `+${digits}`;
  }
  return undefined;
}
