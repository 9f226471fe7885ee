import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { askStun } from '@jackfield/adapters/udp-questions';
import type { Config } from '../config.ts';
import { type Finding, fault, reasonOf, sound, unknown, warning } from './finding.ts';

/** Networks that no phone of the Internet reaches (RFC 1918, RFC 6598, RFC 4193, loopback, link-local). */
const inner = new BlockList();
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
] as const)
  inner.addSubnet(network, bits);
inner.addSubnet('fc00::', 7, 'ipv6');
inner.addSubnet('fe80::', 10, 'ipv6');
inner.addAddress('::1', 'ipv6');

/** The configuration with the address that its STUN server sees, as a start has it, and what was found on the way. */
export async function withSeenAddress(
  config: Config,
): Promise<{ readonly config: Config; readonly findings: readonly Finding[] }> {
  const { stunServer, publicAddress } = config;
  if (stunServer === undefined) return { config, findings: [] };
  try {
    const seen = await askStun(stunServer);
    const sentence = `${stunServer} sees ${seen}: it is the public address, and NAT has to forward its ports unchanged`;
    return { config: { ...config, publicAddress: seen }, findings: [sound('NAT', sentence)] };
  } catch (error) {
    const sentence = `JACKFIELD_STUN_SERVER: ${stunServer} did not answer a STUN request (${reasonOf(error)}), and ${publicAddress} would be in use: name another server, or allow UDP to it`;
    return { config, findings: [fault('NAT', sentence)] };
  }
}

/** Whether phones outside can reach the addresses in Contact and SDP; with a STUN server, which address the Internet sees. */
export async function examinePublicAddress(
  config: Config,
  stun: string | undefined,
): Promise<readonly Finding[]> {
  const { sandbox, publicAddress } = config;
  if (sandbox && publicAddress === '127.0.0.1')
    return [sound('public address', `${publicAddress}: the sandbox is for programs of this machine`)];
  const findings = generalAddresses(config).map(examineAddress);
  if (stun !== undefined) return [...findings, await examineNat(config, stun)];
  if (config.stunServer !== undefined) return findings;
  const sentence =
    'not examined: --stun <host:port> names a server that says which address the Internet sees';
  return [...findings, unknown('NAT', sentence)];
}

/** The addresses for every network that has none of its own, the one in use first. */
export function generalAddresses({ publicAddress, publicAddresses = [] }: Config): readonly string[] {
  const general = publicAddresses.filter(({ network }) => network === undefined);
  return [...new Set([publicAddress, ...general.map(({ address }) => address)])];
}

function examineAddress(address: string): Finding {
  const subject = 'public address';
  if (inner.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')) {
    const sentence = `${address} is of a private network: phones elsewhere have no audio; set JACKFIELD_PUBLIC_ADDRESS or JACKFIELD_STUN_SERVER`;
    return warning(subject, sentence);
  }
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return interfaces.some((each) => each.address === address)
    ? sound(subject, `${address} is an address of this machine`)
    : sound(subject, `${address} is no address of this machine: NAT has to forward its ports unchanged`);
}

async function examineNat(config: Config, stun: string): Promise<Finding> {
  try {
    const seen = await askStun(stun);
    if (generalAddresses(config).includes(seen))
      return sound('NAT', `${stun} sees ${seen}, the public address`);
    const sentence = `${stun} sees ${seen}: set JACKFIELD_PUBLIC_ADDRESS=${seen}, unless another address is forwarded to this machine`;
    return fault('NAT', sentence);
  } catch (error) {
    const sentence = `${stun} did not answer a STUN request (${reasonOf(error)}): name another server with --stun, or allow UDP to it`;
    return unknown('NAT', sentence);
  }
}
