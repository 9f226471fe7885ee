import type { ParsedAttributes } from 'sdp-transform';

/** A hash of a certificate (RFC 8122 §5): a name such as `sha-256`, and pairs of upper-case digits between colons. */
export interface Fingerprint {
  readonly hash: string;
  readonly value: string;
}

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

const fingerprintLine = /^a=fingerprint:([\w-]{1,20}) +((?:[0-9a-f]{2}:){15,63}[0-9a-f]{2}) *$/i;
const iceText = /^[A-Za-z0-9+/]+$/;

/** The fingerprints of a session and of its m= lines, in order. RFC 8122 §5 allows several; the library keeps one of them. */
export function fingerprintLines(lines: readonly string[]): {
  readonly session: readonly Fingerprint[];
  readonly media: readonly (readonly Fingerprint[])[];
} {
  const session: Fingerprint[] = [];
  const media: Fingerprint[][] = [];
  for (const line of lines) {
    if (line.startsWith('m=')) media.push([]);
    const match = line.startsWith('a=fingerprint:') ? fingerprintLine.exec(line) : null;
    if (match === null) continue;
    const found = { hash: match[1]!.toLowerCase(), value: match[2]!.toUpperCase() };
    (media.at(-1) ?? session).push(found);
  }
  return { session, media };
}

/** Reads the transport of one line; those of its attributes that it lacks are the session's (RFC 8839 §5.4, RFC 8122 §5). */
export function transportOf(
  media: ParsedAttributes,
  session: ParsedAttributes,
  fingerprints: { readonly session: readonly Fingerprint[]; readonly media: readonly Fingerprint[] },
): MediaTransport {
  const fragment = String(media.iceUfrag ?? session.iceUfrag ?? '');
  const password = String(media.icePwd ?? session.icePwd ?? '');
  const isIce = isIceText(fragment, 4) && isIceText(password, 22);
  return {
    mid: media.mid === undefined ? undefined : String(media.mid),
    isBundleOnly: media.bundleOnly !== undefined,
    ice: isIce ? { fragment, password } : undefined,
    isIceLite: (media.icelite ?? session.icelite) !== undefined,
    fingerprints: fingerprints.media.length > 0 ? fingerprints.media : fingerprints.session,
    setup: media.setup ?? session.setup,
  };
}

function isIceText(text: string, least: number): boolean {
  return text.length >= least && text.length <= 256 && iceText.test(text);
}
