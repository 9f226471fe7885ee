import type { Fingerprint } from './fingerprint.ts';
import type { SdpSection } from './sdp-sections.ts';

/** ICE and DTLS of one m= line, with the attributes of the session as defaults. */
export interface MediaTransport {
  /** RFC 5888. */
  readonly mid: string | undefined;
  /** RFC 9143 §6: a line with port 0 that is not refused. */
  readonly isBundleOnly: boolean;
  /** RFC 8839 §5.4: user name fragment and password; undefined where either is missing or has a wrong length. */
  readonly ice: { readonly fragment: string; readonly password: string } | undefined;
  readonly isIceLite: boolean;
  readonly fingerprints: readonly Fingerprint[];
  /** RFC 4145 §4. */
  readonly setup: string | undefined;
}

const iceText = /^[A-Za-z0-9+/]+$/;

/** Reads the transport of one line; those of its attributes that it lacks are the session's (RFC 8839 §5.4, RFC 8122 §5). */
export function transportOf(media: SdpSection, session: SdpSection): MediaTransport {
  const own = (name: string) => firstWord(media.attributes.get(name));
  const either = (name: string) => own(name) ?? firstWord(session.attributes.get(name));
  const fragment = either('ice-ufrag') ?? '';
  const password = either('ice-pwd') ?? '';
  const isIce = isIceText(fragment, 4) && isIceText(password, 22);
  return {
    mid: own('mid'),
    isBundleOnly: media.attributes.has('bundle-only'),
    ice: isIce ? { fragment, password } : undefined,
    isIceLite: media.attributes.has('ice-lite') || session.attributes.has('ice-lite'),
    fingerprints: media.fingerprints.length > 0 ? media.fingerprints : session.fingerprints,
    setup: either('setup'),
  };
}

function firstWord(value: string | undefined): string | undefined {
  return value === undefined ? undefined : /^\S*/.exec(value)![0];
}

function isIceText(text: string, least: number): boolean {
  return text.length >= least && text.length <= 256 && iceText.test(text);
}
