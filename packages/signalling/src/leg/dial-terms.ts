import type { AgreedMedia, DialRequest, Logger, Trunks } from '@jackfield/ports';
import { isHoldAddress } from '@jackfield/sdp';
import { type DigestCredentials, encodeUtf8, type IncomingInvite } from '@jackfield/sip';
import type { CarrierAccounts } from '../carriers/carrier-accounts.ts';

export interface DialTermsDeps {
  readonly log: Logger;
  /** Credentials for the challenges of carriers. */
  readonly accounts?: CarrierAccounts;
  /** Credentials for the challenges of telephone systems behind inbound trunks. */
  readonly trunkLogin?: Trunks['loginOf'];
  /** Whether a customer's requests may go to an IP address; all are allowed when absent. */
  readonly mayReach?: (address: string) => boolean;
  /** Whether an address is that of a proxy of the operator: requests to phones go through proxies. */
  readonly isProxy?: (address: string) => boolean;
  /** Whether a phone may name an IP address for its audio; all are allowed when absent. */
  readonly audioMayReach?: (address: string) => boolean;
}

/** Addresses that a peer may name for its audio; all when undefined. */
export type AudioReach = ((address: string) => boolean) | undefined;

/** The credentials and restrictions of an INVITE. */
export interface DialTerms {
  readonly credentials?: DigestCredentials;
  readonly reaches?: (address: string) => boolean;
}

/** Passwords stay with signalling: a dial request names an account only. */
export async function dialTerms(
  deps: DialTermsDeps,
  { leg, targets }: Pick<DialRequest, 'leg' | 'targets'>,
): Promise<DialTerms> {
  // Credentials are sent only to a single target, so that no other target gets them.
  const account = targets.length === 1 ? targets[0]?.account : undefined;
  const isCustomers = targets.some(({ trunk }) => trunk !== undefined);
  const credentials = await credentialsFor(deps, account, isCustomers);
  // A phone states its Path (RFC 3327 §6) and, for the time after its flow is closed, its Contact.
  const isNamedByOthers = targets.some(({ trunk, flow, path }) => trunk ?? flow ?? path);
  const reaches = isNamedByOthers ? reachOfCustomers(deps, isCustomers) : undefined;
  return {
    ...(credentials && { credentials }),
    ...(reaches && { reaches: logged(reaches, deps.log, leg) }),
  };
}

/** Confines the addresses that a caller states (Contact, Record-Route) to those open to customers and to its own source address. */
export function confineCaller(
  deps: DialTermsDeps,
  leg: string,
  incoming: Pick<IncomingInvite, 'confine' | 'sourceAddress'>,
): void {
  const { log, mayReach } = deps;
  if (mayReach === undefined) return;
  const reaches = logged(orProxies(deps, mayReach), log, leg);
  const { sourceAddress } = incoming;
  incoming.confine((address) => address === sourceAddress || reaches(address));
}

/**
 * Addresses for the audio of an incoming call besides the source of its signalling: for a trunk those open to customers, for a phone
 * private networks as well. Undefined for carriers, whose networks the operator has named.
 */
export function audioReach(
  deps: DialTermsDeps,
  { carrier, trunk }: { readonly carrier?: unknown; readonly trunk?: unknown },
): AudioReach {
  if (carrier !== undefined) return undefined;
  return trunk === undefined ? deps.audioMayReach : deps.mayReach;
}

/** The same for an outgoing call. */
export function dialledAudioReach(deps: DialTermsDeps, targets: DialRequest['targets']): AudioReach {
  const trunk = targets.find((target) => target.trunk !== undefined)?.trunk;
  const isCarriers = targets.every((target) => target.account !== undefined && target.trunk === undefined);
  return audioReach(deps, isCarriers ? { carrier: true } : { trunk });
}

/**
 * The agreement, with the source address of signalling in place of an address that the peer may not name. A hold address stays: nothing is
 * sent to it.
 */
export function confinedAudio(
  agreed: AgreedMedia,
  source: string | undefined,
  mayReach: AudioReach,
): AgreedMedia {
  const { address } = agreed;
  if (mayReach === undefined || isHoldAddress(address) || address === source || mayReach(address))
    return agreed;
  return { ...agreed, address: source ?? '0.0.0.0' };
}

/** The addresses to which requests go where an outsider has named them; all when undefined. */
export function reachOfCustomers(deps: DialTermsDeps, isTrunk: boolean): DialTerms['reaches'] {
  const { mayReach } = deps;
  return mayReach === undefined || isTrunk ? mayReach : orProxies(deps, mayReach);
}

function orProxies({ isProxy }: DialTermsDeps, mayReach: (address: string) => boolean) {
  return (address: string): boolean => isProxy?.(address) === true || mayReach(address);
}

function logged(mayReach: (address: string) => boolean, log: Logger, leg: string) {
  return (address: string): boolean => {
    const isOpen = mayReach(address);
    if (!isOpen) {
      log.info({ leg, address }, 'SIP URI of a customer leads to an address closed to customers');
    }
    return isOpen;
  };
}

/** The credentials for challenges to an account: of a customer's trunk, or of a carrier. */
export async function credentialsFor(
  { accounts, trunkLogin }: DialTermsDeps,
  account: string | undefined,
  isTrunk: boolean,
): Promise<DigestCredentials | undefined> {
  if (account === undefined) return undefined;
  if (!isTrunk) return accounts?.(account);
  const login = await trunkLogin?.(account);
  return login && { username: encodeUtf8(login.username), password: encodeUtf8(login.password) };
}
