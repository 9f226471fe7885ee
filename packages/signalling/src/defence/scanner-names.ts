/**
 * How programs call themselves that look for servers to break into, lower case; as lists of the field have them (Kamailio's
 * default configuration, fail2ban's filters). Whoever means it changes the name: it keeps out what nobody has configured.
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
