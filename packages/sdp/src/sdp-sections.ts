import { type CryptoAttribute, parseCrypto } from './crypto-attribute.ts';
import type { Direction } from './direction.ts';
import { type Fingerprint, parseFingerprint } from './fingerprint.ts';

/** The lines of a session, or of one m= line, that offer and answer need. */
export interface SdpSection {
  /** The m= line; empty for the session. */
  readonly head: string;
  /** The address of c=. */
  connection: string | undefined;
  /** By name, without those that have a field here; the last of a repeated one counts. */
  readonly attributes: Map<string, string>;
  direction: Direction | undefined;
  readonly rtpmaps: string[];
  readonly fmtps: string[];
  readonly groups: string[];
  readonly crypto: CryptoAttribute[];
  readonly fingerprints: Fingerprint[];
}

/** A description by its sections. */
export interface SdpSections {
  /** The text of o=. */
  readonly origin: string;
  /** The text of t=. */
  readonly timing: string;
  readonly session: SdpSection;
  readonly media: readonly SdpSection[];
}

const connectionText = /^IN IP\d (\S*)/;

/** Sorts lines into the session and its m= lines (RFC 8866 §5); unknown and malformed ones are ignored. */
export function sdpSections(lines: readonly string[]): SdpSections {
  const session = emptySection('');
  const media: SdpSection[] = [];
  let [section, origin, timing] = [session, '', ''];
  for (const line of lines) {
    if (line[1] !== '=') continue;
    const text = line.slice(2);
    switch (line[0]) {
      case 'm':
        section = emptySection(line);
        media.push(section);
        break;
      case 'a':
        addAttribute(section, line, text);
        break;
      case 'c':
        section.connection = connectionText.exec(text)?.[1] ?? section.connection;
        break;
      case 'o':
        if (section === session) origin = text;
        break;
      case 't':
        if (section === session) timing = text;
        break;
    }
  }
  return { origin, timing, session, media };
}

function emptySection(head: string): SdpSection {
  return {
    head,
    connection: undefined,
    attributes: new Map(),
    direction: undefined,
    rtpmaps: [],
    fmtps: [],
    groups: [],
    crypto: [],
    fingerprints: [],
  };
}

function addAttribute(section: SdpSection, line: string, text: string): void {
  const colon = text.indexOf(':');
  const name = colon < 0 ? text.trimEnd() : text.slice(0, colon);
  const value = colon < 0 ? '' : text.slice(colon + 1);
  switch (name) {
    case 'rtpmap':
      section.rtpmaps.push(value);
      return;
    case 'fmtp':
      section.fmtps.push(value);
      return;
    case 'group':
      section.groups.push(value);
      return;
    case 'crypto': {
      const attribute = parseCrypto(line);
      if (attribute === undefined || section.crypto.some(({ tag }) => tag === attribute.tag)) return;
      section.crypto.push(attribute);
      return;
    }
    case 'fingerprint': {
      const fingerprint = parseFingerprint(line);
      if (fingerprint !== undefined) section.fingerprints.push(fingerprint);
      return;
    }
    case 'sendrecv':
    case 'sendonly':
    case 'recvonly':
    case 'inactive':
      section.direction = name;
      return;
    default:
      section.attributes.set(name, value);
  }
}
