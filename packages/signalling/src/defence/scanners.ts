import type { SipRequest } from '@jackfield/sip';

/**
 * User-Agent names of programs that scan for servers, lower case, from Kamailio's default configuration and fail2ban's filters. Blocks
 * default scanner configurations only; an attacker can change the User-Agent.
 */
const scannerNames: readonly string[] = [
  'friendly-scanner',
  'friendly-request',
  'sipvicious',
  'sipcli',
  'sip-scan',
  'sipscan',
  'sundayddr',
  'iwar',
  'sivus',
  'pplsip',
  'vaxsipuseragent',
];

/** Whether the User-Agent of a request is that of a scanner. */
export function isScanner(request: SipRequest): boolean {
  const name = request.headers.get('User-Agent')?.toLowerCase();
  return name !== undefined && scannerNames.some((scanner) => name.includes(scanner));
}
