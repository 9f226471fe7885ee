/** The destination that a `to` names: a number of the public network, or a SIP user of the domain. */
export type Destination =
  | { readonly kind: 'number'; readonly number: string }
  /** `instance` names one phone of the user: a GRUU (RFC 5627). */
  | { readonly kind: 'user'; readonly user: string; readonly instance?: string }
  | { readonly kind: 'elsewhere'; readonly domain: string }
  | { readonly kind: 'unreadable' };

const number = /^\+?([1-9][0-9]{6,14})$/; // E.164: at most 15 digits, no leading zero
const user = /^[A-Za-z0-9_.+-]{1,100}$/;
const sipUri =
  /^sips?:([^@;?\s]{1,100})@(\[[0-9a-f:.]{2,45}\]|[^;?\s:]{1,253})(?::[0-9]{1,5})?(?:[;?]\S*)?$/i;

const gruu = /;gr(?:=([^;?\s]*))?(?:[;?]|$)/i;
const longestInstance = 240;

/**
 * Reads the destination of a call. `domains` are our hosts, in lower case: SIP domains that we serve, and addresses at which phones
 * reach us, IPv6 in brackets. The port is ignored.
 */
export function readDestination(to: string, domains: readonly string[]): Destination {
  const text = to.trim();
  const uri = sipUri.exec(text);
  if (uri === null) return readLocalPart(text);
  const [, name = '', host = ''] = uri;
  const domain = host.toLowerCase();
  if (!domains.includes(domain)) return { kind: 'elsewhere', domain };
  const local = readLocalPart(name);
  const named = gruu.exec(text);
  if (named === null) return local;
  // RFC 5627 §6.1: a GRUU names one phone and never another.
  const [, instance = ''] = named;
  const isPhone = local.kind === 'user' && instance !== '' && instance.length <= longestInstance;
  return isPhone ? { ...local, instance } : { kind: 'unreadable' };
}

/** An endpoint's username ends in the twelve digits that the service has appended. */
const suffix = /[0-9]{12}$/;

/** Whether a name has the form of an endpoint's username; no other name is ever called. */
export function isUsername(name: string): boolean {
  return user.test(name) && suffix.test(name);
}

/** The first destination that no call can ever reach: a bare name that is no username. */
export function bareNameIn(destinations: readonly string[]): string | undefined {
  return destinations.find((each) => {
    const text = each.trim();
    return !sipUri.test(text) && !number.test(text) && !isUsername(text);
  });
}

/** Allowed destinations, for the refusal of a bare name. */
export const dialable =
  'a phone number in E.164 format, a SIP URI, or a username that GET Endpoint/ lists, which ends in twelve digits such as alice261121120000';

function readLocalPart(text: string): Destination {
  const digits = number.exec(text);
  if (digits !== null) return { kind: 'number', number: `+${digits[1]}` };
  return user.test(text) ? { kind: 'user', user: text } : { kind: 'unreadable' };
}
