import type { AgreedKeys, AgreedSuite } from '@jackfield/ports';
import type { AgreedCrypto, CryptoKey, MediaCapabilities } from '@jackfield/sdp';

/** The operator's choice of SRTP with keys in SDP (docs/decisions/0015-srtp.md). */
export type SrtpPolicy = 'off' | 'offer' | 'require';

/** Our suites, most widely supported first, with the bytes of master key and salt. A phone chooses the first suite that it knows. */
const suites: readonly (readonly [AgreedSuite, number])[] = [
  ['AES_CM_128_HMAC_SHA1_80', 30],
  ['AES_CM_128_HMAC_SHA1_32', 30],
  ['AES_256_CM_HMAC_SHA1_80', 46],
  ['AEAD_AES_128_GCM', 28],
  ['AEAD_AES_256_GCM', 44],
];

const clearProtocols = ['RTP/AVP', 'RTP/AVPF'];
const allProtocols = [...clearProtocols, 'RTP/SAVP', 'RTP/SAVPF'];

/** Statuses that refuse the description but not the call. */
const descriptionRefusals: readonly number[] = [415, 488, 606];

/** Whether this status refuses the description but not the call. */
export function refusesDescription(status: number): boolean {
  return descriptionRefusals.includes(status);
}

type CryptoCapabilities = Pick<MediaCapabilities, 'crypto' | 'protocols' | 'requiresCrypto'>;

/**
 * SRTP of one leg: whether it is offered and accepted, and its keys. Keys are sent only over private signalling (RFC 4568 §9), so a leg
 * without TLS has none. Our key stays while it is in use: a re-INVITE interrupts nothing.
 */
export interface LegSrtp {
  readonly policy: SrtpPolicy;
  /** The policy allows SRTP and the signalling is private. */
  readonly isAllowed: boolean;
  /** The profile of our INVITE; undefined for an incoming leg. */
  readonly profile: 'RTP/SAVP' | 'RTP/AVP' | undefined;
  /** One key for each suite; incomplete until `withKeys` has filled it. */
  readonly keys: readonly CryptoKey[];
  readonly suiteInUse: string | undefined;
}

/** No SRTP: the signalling of the leg is not private. */
export const noSrtp: LegSrtp = {
  policy: 'off',
  isAllowed: false,
  profile: undefined,
  keys: [],
  suiteInUse: undefined,
};

/** SRTP of an incoming leg. */
export function incomingSrtp(policy: SrtpPolicy, isPrivate: boolean): LegSrtp {
  return { ...noSrtp, policy, isAllowed: isPrivate && policy !== 'off' };
}

/** SRTP of an outgoing leg; `isPrivate` holds for all its targets, since all get one description. */
export function dialledSrtp(policy: SrtpPolicy, isPrivate: boolean): LegSrtp {
  const srtp = incomingSrtp(policy, isPrivate);
  return srtp.isAllowed ? { ...srtp, profile: 'RTP/SAVP' } : srtp;
}

/** Whether media without SRTP is refused. */
export function demandsSrtp({ isAllowed, policy }: LegSrtp): boolean {
  return isAllowed && policy === 'require';
}

/** Whether the leg needs keys before its next description. */
export function lacksKeys({ isAllowed, keys }: LegSrtp): boolean {
  return isAllowed && keys.length < suites.length;
}

/** Draws one unpredictable key for each suite. */
export type DrawKeys = () => readonly CryptoKey[];

/** Draws one key for each suite. `randomBytes` must be unpredictable. */
export function newKeys(randomBytes: (count: number) => Uint8Array): readonly CryptoKey[] {
  return suites.map(([suite, bytes]) => ({
    suite,
    keyAndSalt: Buffer.from(randomBytes(bytes)).toString('base64'),
  }));
}

/** Fills missing keys from `fresh`; keys that are present stay. */
export function withKeys(srtp: LegSrtp, fresh: readonly CryptoKey[]): LegSrtp {
  const present = (suite: string) => srtp.keys.find((key) => key.suite === suite);
  return { ...srtp, keys: fresh.map((key) => present(key.suite) ?? key) };
}

/**
 * SRTP without an offer of it, for a second INVITE after `status` refused the first one; undefined where a second INVITE is useless.
 * The phone may still choose SRTP from the keys of that description (RFC 8643).
 */
export function downgraded(srtp: LegSrtp, status: number): LegSrtp | undefined {
  const isRefused = srtp.profile === 'RTP/SAVP' && refusesDescription(status);
  return isRefused && srtp.policy === 'offer' ? { ...srtp, profile: 'RTP/AVP' } : undefined;
}

/** The SRTP that our answers can contain. */
export function answeringCrypto(srtp: LegSrtp): CryptoCapabilities {
  if (!srtp.isAllowed) return { protocols: clearProtocols };
  return { protocols: allProtocols, crypto: srtp.keys, requiresCrypto: demandsSrtp(srtp) };
}

/**
 * The SRTP of our offer: the profile in use; else in an INVITE the secure profile, and in the 200 to an INVITE without offer the optional
 * one, unless SRTP is required.
 */
export function offeringCrypto(srtp: LegSrtp, profileInUse: string | undefined): CryptoCapabilities {
  const usual = demandsSrtp(srtp) ? 'RTP/SAVP' : 'RTP/AVP';
  const protocols = [profileInUse ?? srtp.profile ?? usual];
  return srtp.isAllowed ? { protocols, crypto: srtp.keys } : { protocols };
}

/**
 * The suite of the last agreement, or none. An abandoned suite loses its key: a peer that reuses the key may have lost its packet counter
 * (RFC 3711 §9.1). In a forked call the first phone may return to the key of the shared description: the media engine keeps that key's
 * counter.
 */
export function agreedSuite(srtp: LegSrtp, suite: string | undefined): LegSrtp {
  const left = srtp.suiteInUse;
  if (left === suite) return srtp;
  const keys = left === undefined ? srtp.keys : srtp.keys.filter((key) => key.suite !== left);
  return { ...srtp, suiteInUse: suite, keys };
}

/** The keys of an agreement in the form of the media port. */
export function protectionOf({ suite, sendKey, receiveKey }: AgreedCrypto): AgreedKeys {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
  return { by: 'sdes', suite: suite as AgreedSuite, sendKey: bytes(sendKey), receiveKey: bytes(receiveKey) };
}
