import type { AgreedProtection, AgreedSuite, DialTarget } from '@jackfield/ports';
import type { AgreedCrypto, CryptoKey, MediaCapabilities } from '@jackfield/sdp';
import {
  type IncomingInvite,
  type Protocol,
  paramOf,
  parseNameAddr,
  parseSipUri,
  parseVia,
} from '@jackfield/sip';

/** What the operator wants of SRTP with keys in SDP (docs/decisions/0015-srtp.md). */
export type SrtpPolicy = 'off' | 'offer' | 'require';

export interface SrtpOptions {
  readonly policy: SrtpPolicy;
  /** Unpredictable bytes, for keys. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** How a flow travels; undefined for one that is gone. */
  readonly protocolOf: (flow: string) => Protocol | undefined;
}

/** Our suites, best known first, with the bytes of master key and salt. */
const suites: readonly (readonly [AgreedSuite, number])[] = [
  ['AES_CM_128_HMAC_SHA1_80', 30],
  ['AES_CM_128_HMAC_SHA1_32', 30],
  ['AES_256_CM_HMAC_SHA1_80', 46],
];

const clearProtocols = ['RTP/AVP', 'RTP/AVPF'];
const allProtocols = [...clearProtocols, 'RTP/SAVP', 'RTP/SAVPF'];

/** Answers that mean that this description, and not this call, is refused. */
const refusals: readonly number[] = [415, 488, 606];

type CryptoCapabilities = Pick<MediaCapabilities, 'crypto' | 'protocols' | 'requiresCrypto'>;

/**
 * SRTP of one leg: whether it is offered and taken, and its keys. Keys are said over signalling that nobody reads on the way (RFC 4568 §9), so
 * over anything but TLS there is none. A key of ours stays as long as it is in use: a re-INVITE interrupts nothing.
 */
export class LegCrypto {
  readonly #srtp: SrtpOptions | undefined;
  readonly #keys: CryptoKey[] = [];
  #isAllowed: boolean;
  #profile: string | undefined;
  #suiteInUse: string | undefined;

  constructor(srtp: SrtpOptions | undefined, isPrivate = false) {
    this.#srtp = srtp;
    this.#isAllowed = this.#allows(isPrivate);
  }

  /** Media in the clear is no media. */
  get isDemanded(): boolean {
    return this.#isAllowed && this.#srtp?.policy === 'require';
  }

  /** For an INVITE of ours to these places, all of which must be private: they get one description. */
  address(targets: readonly DialTarget[]): void {
    const srtp = this.#srtp;
    this.#isAllowed = this.#allows(srtp !== undefined && targets.every((target) => isPrivate(target, srtp)));
    if (this.#isAllowed) this.#profile = 'RTP/SAVP';
  }

  /** Whether an INVITE of ours that was refused like this is worth another one, which leaves SRTP to the phone (RFC 8643). */
  relents(status: number): boolean {
    const isRefused = this.#profile === 'RTP/SAVP' && refusals.includes(status);
    if (!isRefused || this.#srtp?.policy !== 'offer') return false;
    this.#profile = 'RTP/AVP';
    return true;
  }

  /** What an offer can be answered with. */
  answering(): CryptoCapabilities {
    if (!this.#isAllowed) return { protocols: clearProtocols };
    return { protocols: allProtocols, crypto: this.#allKeys(), requiresCrypto: this.isDemanded };
  }

  /** For an offer: in the profile that is in use, in an INVITE the secure one, and in the 200 to one without offer what leaves the choice. */
  offering(profileInUse: string | undefined): CryptoCapabilities {
    const usual = this.isDemanded ? 'RTP/SAVP' : 'RTP/AVP';
    const protocols = [profileInUse ?? this.#profile ?? usual];
    return this.#isAllowed ? { protocols, crypto: this.#allKeys() } : { protocols };
  }

  /**
   * The suite that was agreed on, or none. For later descriptions the key of one that is left is made anew: whoever takes it up again may have
   * forgotten how far it had counted (RFC 3711 §9.1). Of phones that a call was forked to, the first may come back to the key of the description
   * that all of them were sent: the media engine remembers how far that has counted.
   */
  agreed(suite: string | undefined): void {
    const left = this.#suiteInUse;
    this.#suiteInUse = suite;
    if (left === undefined || left === suite) return;
    const kept = this.#keys.splice(0).filter((key) => key.suite !== left);
    for (const fresh of this.#newKeys())
      this.#keys.push(kept.find((key) => key.suite === fresh.suite) ?? fresh);
  }

  #allows(isPrivate: boolean): boolean {
    return isPrivate && this.#srtp !== undefined && this.#srtp.policy !== 'off';
  }

  #allKeys(): readonly CryptoKey[] {
    if (this.#keys.length === 0) this.#keys.push(...this.#newKeys());
    return this.#keys;
  }

  #newKeys(): CryptoKey[] {
    const srtp = this.#srtp;
    if (srtp === undefined) return [];
    return suites.map(([suite, bytes]) => ({
      suite,
      keyAndSalt: Buffer.from(srtp.randomBytes(bytes)).toString('base64'),
    }));
  }
}

/** Keys as the media engine wants them. */
export function protectionOf({ suite, sendKey, receiveKey }: AgreedCrypto): AgreedProtection {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
  return { suite: suite as AgreedSuite, sendKey: bytes(sendKey), receiveKey: bytes(receiveKey) };
}

/** Whether nobody read an INVITE on its last way to us. */
export function cameInPrivate(
  { flow, request }: Pick<IncomingInvite, 'flow' | 'request'>,
  srtp: SrtpOptions | undefined,
): boolean {
  const protocol = srtp?.protocolOf(flow);
  if (protocol === 'tls' || protocol === 'wss') return true;
  // Behind a proxy that ends TLS a phone says WSS of what reaches us as WS: it has seen the certificate.
  return protocol === 'ws' && parseVia(request.headers.get('Via') ?? '')?.transport === 'WSS';
}

/** Whether nobody reads what is sent on the first hop, over whichever flow of a phone it goes. */
function isPrivate({ flow, uri, path = [], otherFlows = [] }: DialTarget, srtp: SrtpOptions): boolean {
  if (!otherFlows.every((other) => isPrivate(other, srtp))) return false;
  const protocol = flow === undefined ? undefined : srtp.protocolOf(flow);
  if (protocol !== undefined) return protocol === 'tls' || protocol === 'wss';
  const [first] = path;
  const parsed = parseSipUri(first === undefined ? uri : (parseNameAddr(first)?.uri ?? ''));
  return parsed?.scheme === 'sips' || paramOf(parsed?.params ?? [], 'transport')?.toLowerCase() === 'tls';
}
