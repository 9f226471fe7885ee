import { isIP } from 'node:net';
import { defaultDefenceLimits } from '@jackfield/signalling';
import type { Config } from './config.ts';

/** Hosts of SIP URIs that name this server: its addresses for phones, and the machine itself. */
export function ownAddresses({ publicAddress, sip }: Config): string[] {
  const own = [publicAddress, sip.host, '127.0.0.1', '::1'].filter((each) => isIP(each) !== 0);
  const hosts = own.map((each) => (isIP(each) === 6 ? `[${each}]` : each).toLowerCase());
  return [...new Set([...hosts, 'localhost'])];
}

/** With 0 external calls the operator has every caller without credentials challenged. */
export function admitsExternal({ limits }: Config): boolean {
  return (limits?.defence.externalCalls ?? defaultDefenceLimits.externalCalls) > 0;
}
