import { isIP } from 'node:net';
import { askStun } from '@jackfield/adapters/udp-questions';
import { type Clock, type Logger, networksOf } from '@jackfield/ports';
import type { PublicAddress } from './address-variables.ts';
import type { Config } from './config.ts';

/** Our addresses in Via, Contact and SDP. */
export interface PublicAddresses {
  /** For a peer: its address; undefined or a name where that is unknown. */
  addressFor(peer: string | undefined): string;
  close(): void;
}

/** A router that reconnects has another address: calls that begin within this time name the old one. */
const askEveryMs = 60_000;

/**
 * The addresses of the configuration, or that which a STUN server sees, asked again every minute. A server that does not answer at the start
 * delays it by 6 s and leaves the address of the interface in use.
 */
export async function openPublicAddresses(
  { publicAddress, publicAddresses = [], stunServer }: Config,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<PublicAddresses> {
  const given = addressChoice([...publicAddresses, { address: publicAddress }]);
  if (stunServer === undefined) return { addressFor: given, close: () => undefined };
  let seen: string | undefined;
  let choose = given;
  let cancel = (): void => undefined;
  let isClosed = false;

  async function ask(server: string): Promise<void> {
    try {
      const now = await askStun(server);
      if (seen === undefined) log.info({ stunServer: server, address: now }, 'public address discovered');
      else if (seen !== now)
        log.warn(
          { before: seen, address: now },
          'public address changed: new calls and registrations name it',
        );
      seen = now;
      choose = addressChoice([...publicAddresses, { address: now }, { address: publicAddress }]);
    } catch (err) {
      const address = choose(undefined);
      log.warn(
        { err, stunServer: server, address },
        'public address could not be asked: this one stays in use',
      );
    }
    if (!isClosed) cancel = clock.startTimer(clock.now() + askEveryMs, () => void ask(server));
  }

  await ask(stunServer);
  return {
    addressFor: (peer) => choose(peer),
    close() {
      isClosed = true;
      cancel();
    },
  };
}

/** The first address for the network of a peer, else the first of its family, else the first that is for every network. */
export function addressChoice(addresses: readonly PublicAddress[]): PublicAddresses['addressFor'] {
  const general = addresses.filter(({ network }) => network === undefined).map(({ address }) => address);
  const [first] = general;
  if (first === undefined) throw new RangeError('each public address is for one network');
  const networks = addresses.flatMap(({ address, network }) =>
    network === undefined ? [] : [{ address, holds: networksOf([network]) }],
  );
  const ofFamily = (family: number) => general.find((each) => isIP(each) === family) ?? first;
  const [ipv4, ipv6] = [ofFamily(4), ofFamily(6)];
  return (peer) => {
    const family = peer === undefined ? 0 : isIP(peer);
    if (peer === undefined || family === 0) return first;
    // A phone of IPv4 at a socket of both families is `::ffff:192.0.2.1` (RFC 4291 §2.5.5.2).
    const usual = family === 4 || peer.toLowerCase().startsWith('::ffff:') ? ipv4 : ipv6;
    return networks.find(({ holds }) => holds(peer))?.address ?? usual;
  };
}
