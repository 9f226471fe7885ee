import type { AgreedMedia, DialRequest, Logger, Trunks } from '@jackfield/ports';
import { isHoldAddress } from '@jackfield/sdp';
import { type DigestCredentials, encodeUtf8, type IncomingInvite } from '@jackfield/sip';
import type { CarrierAccounts } from '../carriers/carrier-accounts.ts';

export interface DialTermsDeps {
  readonly log: Logger;
  /** What answers the challenges of carriers. */
  readonly accounts?: CarrierAccounts;
  /** What answers those of the telephone systems behind inbound trunks. */
  readonly trunkLogin?: Trunks['loginOf'];
  /** Whether a customer may have something sent to an IP address; everything without. */
  readonly mayReach?: (address: string) => boolean;
  /** Whether a phone may name an IP address for its audio; everything without. */
  readonly audioMayReach?: (address: string) => boolean;
}

/** Addresses that a peer may name for its audio; all when undefined. */
export type AudioReach = ((address: string) => boolean) | undefined;

/** What an INVITE is sent under. */
export interface DialTerms {
  readonly credentials?: DigestCredentials;
  readonly reaches?: (address: string) => boolean;
}

/** Passwords stay with signalling: whoever dials names an account and nothing more. */
export async function dialTerms(
  { log, accounts, trunkLogin, mayReach }: DialTermsDeps,
  { leg, targets }: Pick<DialRequest, 'leg' | 'targets'>,
): Promise<DialTerms> {
  // Whoever asks for a password is dialled alone: no other target is shown its credentials.
  const account = targets.length === 1 ? targets[0]?.account : undefined;
  const isCustomers = targets.some(({ trunk }) => trunk !== undefined);
  const credentials =
    account === undefined
      ? undefined
      : isCustomers
        ? await credentialsOf(account, trunkLogin)
        : accounts?.(account);
  // A Path leads where the phone wants (RFC 3327 §6), and so does its Contact where its flow is gone.
  const isNamedByOthers = targets.some(({ trunk, flow, path }) => trunk ?? flow ?? path);
  return {
    ...(credentials === undefined ? {} : { credentials }),
    ...(isNamedByOthers && mayReach !== undefined ? { reaches: told(mayReach, log, leg) } : {}),
  };
}

/** What a caller says of itself (Contact, Record-Route) leads where customers may send, or back to where it called from. */
export function confineCaller(
  { log, mayReach }: DialTermsDeps,
  leg: string,
  incoming: Pick<IncomingInvite, 'confine' | 'sourceAddress'>,
): void {
  if (mayReach === undefined) return;
  const reaches = told(mayReach, log, leg);
  incoming.confine((address) => address === incoming.sourceAddress || reaches(address));
}

/**
 * Where the audio of a call that came may go besides the address that its signalling comes from: a trunk's where customers may send, a
 * phone's into private networks as well. Undefined for carriers, whose networks the operator has named.
 */
export function audioReach(
  deps: DialTermsDeps,
  { carrier, trunk }: { readonly carrier?: unknown; readonly trunk?: unknown },
): AudioReach {
  if (carrier !== undefined) return undefined;
  return trunk === undefined ? deps.audioMayReach : deps.mayReach;
}

/** The same for a call that is made. */
export function dialledAudioReach(deps: DialTermsDeps, targets: DialRequest['targets']): AudioReach {
  const trunk = targets.find((target) => target.trunk !== undefined)?.trunk;
  const isCarriers = targets.every((target) => target.account !== undefined && target.trunk === undefined);
  return audioReach(deps, isCarriers ? { carrier: true } : { trunk });
}

/**
 * The agreement, with the address that signalling came from in place of one that the peer may not name. An address that puts on hold is kept: it
 * is sent nothing.
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

function told(mayReach: (address: string) => boolean, log: Logger, leg: string) {
  return (address: string): boolean => {
    const isOpen = mayReach(address);
    if (!isOpen) {
      log.info({ leg, address }, 'A SIP URI of a customer leads to an address that is closed to customers.');
    }
    return isOpen;
  };
}

async function credentialsOf(account: string, loginOf: DialTermsDeps['trunkLogin']) {
  const login = await loginOf?.(account);
  return login && { username: encodeUtf8(login.username), password: encodeUtf8(login.password) };
}
