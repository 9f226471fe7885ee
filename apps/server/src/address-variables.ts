import { asAddress, asCidr, asHost, asList, asPort } from './config-values.ts';

/** An address at which this server is reached: from one network, or from all others. */
export interface PublicAddress {
  readonly address: string;
  readonly network?: string;
}

export const addressVariables = {
  publicAddress: {
    name: 'JACKFIELD_PUBLIC_ADDRESS',
    allowed:
      'IP addresses separated by commas, one of each family for every network, and others as 10.0.0.5@10.0.0.0/8 for one network',
    read: asPublicAddresses,
  },
  stunServer: {
    name: 'JACKFIELD_STUN_SERVER',
    allowed: 'a host and a port such as stun.example.com:3478',
    read: asServer,
  },
} as const;

const asEach = asList((text: string): PublicAddress | undefined => {
  const [written = '', network, ...rest] = text.split('@');
  const address = asAddress(written);
  if (address === undefined || rest.length > 0) return undefined;
  if (network === undefined) return { address };
  return asCidr(network) === undefined ? undefined : { address, network };
});

/** At most one of each family for every network. */
function asPublicAddresses(text: string): readonly PublicAddress[] | undefined {
  const addresses = asEach(text);
  const families = addresses
    ?.filter(({ network }) => network === undefined)
    .map(({ address }) => address.includes(':'));
  return families === undefined || new Set(families).size < families.length ? undefined : addresses;
}

function asServer(text: string): string | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed === undefined ? asHost(plain ?? '') : asAddress(bracketed);
  return host === undefined || (port !== undefined && !asPort(port)) ? undefined : text;
}
