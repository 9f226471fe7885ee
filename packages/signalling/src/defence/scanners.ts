/**
 * User-Agent names of programs that scan for servers, lower case, from Kamailio's default configuration and fail2ban's filters. Blocks
 * default scanner configurations only; an attacker can change the User-Agent.
 */
export const scannerNames: readonly string[] = [
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
