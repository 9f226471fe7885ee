import { addressVariables, type PublicAddress } from './address-variables.ts';
import type { ConfigProblem, ConfigReader } from './config-reader.ts';
import { detectPublicAddress } from './public-address.ts';

/** How peers reach this server. */
export interface AddressConfig {
  /** The address for every network that has none of its own; that of an interface until `stunServer` has said another. */
  readonly publicAddress: string;
  /** All that are configured. */
  readonly publicAddresses?: readonly PublicAddress[];
  /** Says which address the Internet sees. */
  readonly stunServer?: string;
}

export function readAddresses(reader: ConfigReader, sipHost: string): AddressConfig {
  const detected = detectPublicAddress(sipHost);
  const given = reader.optional(addressVariables.publicAddress, detected);
  const stunServer = reader.optional(addressVariables.stunServer, 'no server is asked');
  const general = given?.find(({ network }) => network === undefined);
  return {
    publicAddress: general?.address ?? detected,
    ...(given === undefined ? {} : { publicAddresses: given }),
    ...(stunServer === undefined ? {} : { stunServer }),
  };
}

/** The address for every network has one origin. */
export function addressContradictions({
  publicAddresses = [],
  stunServer,
}: AddressConfig): readonly ConfigProblem[] {
  const { publicAddress: variable, stunServer: server } = addressVariables;
  const general = publicAddresses.find(({ network }) => network === undefined);
  if (stunServer === undefined || general === undefined) return [];
  const sentence = `${server.name} must not be set together with ${general.address} in ${variable.name}: remove one, or write the address with the network that it is for, ${general.address}@10.0.0.0/8`;
  return [{ variable: server.name, sentence }];
}
