import { randomBytes } from 'node:crypto';
import type { NetworkAddress, TrunkOfPhone } from '@jackfield/testkit/phones';
import type { ServerApi } from './server-api.ts';

/** How a number of the public network calls the server: as the telephone system of a trunk. */
export type WayOfNumbers = Pick<TrunkOfPhone, 'domain' | 'username' | 'password'>;

const name = 'test world';

export async function openTrunk(api: ServerApi): Promise<WayOfNumbers> {
  const username = `world${randomBytes(6).toString('hex')}`;
  const password = randomBytes(12).toString('hex');
  const { credential_uuid } = await api.done('POST', 'SipTrunk/Credential/', { name, username, password });
  const direction = { trunk_direction: 'outbound' };
  const { trunk_id } = await api.done('POST', 'SipTrunk/Trunk/', { name, ...direction, credential_uuid });
  const { trunk_domain: domain } = await api.done('GET', `SipTrunk/Trunk/${trunk_id}/`);
  return { domain, username, password };
}

/** Opens the way of calls to a number; gives the fields of the number. */
export async function openWayTo(
  api: ServerApi,
  number: string,
  { address, port }: NetworkAddress,
): Promise<{ readonly trunk_id: string }> {
  const uri = `sip:${number}@${address}:${port}`;
  const { uri_uuid } = await api.done('POST', 'SipTrunk/URI/', { name, uri });
  const fields = { trunk_direction: 'inbound', primary_uri_uuid: uri_uuid };
  const { trunk_id } = await api.done('POST', 'SipTrunk/Trunk/', { name, ...fields });
  return { trunk_id };
}
