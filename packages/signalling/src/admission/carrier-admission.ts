import { BlockList, isIP } from 'node:net';
import { type Clock, type Logger, sipUriAt } from '@jackfield/ports';
import { addressOfHost, parseSipUri, type SipRequest, type UserAgentDeps } from '@jackfield/sip';
import { trunkOf } from '../parties/domains.ts';
import { partyOfUri } from '../parties/parties.ts';
import type { Admission, Admitted, Refused } from './admission.ts';

export interface CarrierAdmissionDeps {
  readonly carriers: readonly {
    readonly name: string;
    readonly host: string;
    readonly port?: number | undefined;
    readonly transport?: 'udp' | 'tcp' | 'tls';
    readonly addresses: readonly string[];
    /** Its registration, whose Contact has the user of `aor`. */
    readonly registration?: { readonly aor: string } | undefined;
  }[];
  /** Resolves URIs (RFC 3263); when absent only the addresses of the file are recognised. */
  readonly locate?: UserAgentDeps['locate'];
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
/** While a carrier has no address: a machine may start before its name servers. */
const lookUpAgainMs = 30_000;

/** Admits calls from the addresses of carriers: carriers neither register nor answer the challenges of their customers. */
export function createCarrierAdmission(deps: CarrierAdmissionDeps): CarrierAdmission {
  const { locate } = deps;
  const listed = deps.carriers.map((carrier) => {
    const host = addressOfHost(carrier.host);
    const isName = isIP(host) === 0;
    return {
      name: carrier.name,
      registered: parseSipUri(carrier.registration?.aor ?? '')?.user,
      fixed: blockListOf(isName ? carrier.addresses : [...carrier.addresses, host]),
      // Where calls go to the carrier, by SRV records too, and its host itself: many send from both.
      uris: isName ? [sipUriAt(carrier), sipUriAt({ host, port: 5060 })] : [],
      found: new Set<string>(),
    };
  });
  const named = listed.filter(({ uris }) => uris.length > 0);
  let cancel: (() => void) | undefined;
  let isClosed = false;

  async function lookUp(): Promise<void> {
    await Promise.all(
      named.map(async (carrier) => {
        const found = (await Promise.all(carrier.uris.map(addressesAt))).flat();
        // The last result stays in use: an unreachable name server changes no address.
        if (found.length > 0) carrier.found = new Set(found);
        else deps.log.warn({ carrier: carrier.name }, 'carrier host lookup failed');
      }),
    );
    if (isClosed) return;
    const pause = named.every(({ found }) => found.size > 0) ? lookUpEveryMs : lookUpAgainMs;
    cancel = deps.clock.startTimer(deps.clock.now() + pause, () => void lookUp());
  }

  function addressesAt(uri: string): Promise<readonly string[]> {
    return new Promise((resolve) => {
      locate?.(uri, (targets) => resolve(targets.map(({ host }) => host)));
    });
  }
  if (locate !== undefined && named.length > 0) void lookUp();

  function sendersOf(address: string): typeof listed {
    const plain = address.replace(/^::ffff:/i, '');
    const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
    if (isIP(plain) === 0) return [];
    return listed.filter(({ fixed, found }) => found.has(plain) || fixed.check(plain, family));
  }

  /** An INVITE from an address of these carriers: of the carrier that calls our registered Contact, else of the first. */
  async function admitFrom(
    carriers: typeof listed,
    ...sent: Parameters<Admission['admit']>
  ): Promise<Admitted | Refused> {
    const user = parseSipUri(sent[0].uri)?.user;
    const called = carriers.find(({ registered }) => registered !== undefined && registered === user);
    const carrier = (called ?? carriers[0]!).name;
    const callee = calledNumber(sent[0], called !== undefined);
    if (callee === undefined) return { ok: false, status: 404, headers: [] };
    const account = await deps.account(callee);
    if (account === undefined) return deps.otherwise.admit(...sent);
    return { ok: true, account, endpoint: '', user: '', carrier, callee };
  }

  return {
    admit(request, source, flow) {
      const mayBeCarrier = request.method === 'INVITE' && trunkOf(request.uri, deps.domains) === undefined;
      const carriers = mayBeCarrier ? sendersOf(source) : [];
      if (carriers.length === 0) return deps.otherwise.admit(request, source, flow);
      return admitFrom(carriers, request, source, flow);
    },
    knows: (address) => sendersOf(address).length > 0,
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
    const [address = '', bits] = each.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Carriers write the number into the Request-URI, or into To where the Request-URI is our registered Contact. */
function calledNumber(request: SipRequest, isOurContact: boolean): string | undefined {
  const to = request.headers.address('To')?.uri ?? '';
  for (const uri of isOurContact ? [to, request.uri] : [request.uri, to]) {
    const digits = /^\+?([1-9][0-9]{2,14})$/.exec(partyOfUri(uri)?.replace(/[-.()]/g, '') ?? '')?.[1];
    if (digits !== undefined) return `+${digits}`;
  }
  return undefined;
}
