import { isIP } from 'node:net';

/** Each reader parses one value; undefined means that the text is not allowed. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export function asBoolean(text: string): boolean | undefined {
  const lower = text.toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : undefined;
}

export function asPort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port <= 65_535 ? port : undefined;
}

/** A leg uses two ports, one for RTP and one for RTCP. */
export function asPortRange(text: string): PortRange | undefined {
  const match = /^(\d{4,5})-(\d{4,5})$/.exec(text);
  const [first, last] = [Number(match?.[1]), Number(match?.[2])];
  return first >= 1024 && last <= 65_535 && last > first ? { first, last } : undefined;
}

export function asAddress(text: string): string | undefined {
  return isIP(text) === 0 ? undefined : text;
}

/** RFC 1123 §2.1: labels of letters, digits and inner hyphens. A name of digits and dots alone would be a broken address. */
export function asHostName(text: string): string | undefined {
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
  if (text.length > 253 || !new RegExp(`^${label}(\\.${label})*$`, 'i').test(text)) return undefined;
  return /^[\d.]+$/.test(text) ? undefined : text.toLowerCase();
}

export function asHost(text: string): string | undefined {
  return asAddress(text) ?? asHostName(text);
}

export function asList<Value>(read: (text: string) => Value | undefined) {
  return (text: string): readonly Value[] | undefined => {
    const values = text.split(',').map((each) => read(each.trim()));
    return values.every((each) => each !== undefined) ? values : undefined;
  };
}

export function asCidr(text: string): string | undefined {
  const [address = '', bits = '', ...rest] = text.split('/');
  const most = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : -1;
  return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most ? text : undefined;
}

export function asUrl(...protocols: readonly string[]) {
  return (text: string): string | undefined => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url !== undefined && protocols.includes(url.protocol) && url.hostname !== '' ? text : undefined;
  };
}

/** Scheme, host and port only, without a slash at the end. */
export function asOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  return isOrigin ? url.origin : undefined;
}

export function asCount(most: number) {
  return (text: string): number | undefined => {
    const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    return count >= 1 && count <= most ? count : undefined;
  };
}

/** A count that may be zero. */
export function asCountFromZero(most: number) {
  return (text: string): number | undefined => (/^0+$/.test(text) ? 0 : asCount(most)(text));
}

export function asPath(text: string): string | undefined {
  return text.includes('\0') ? undefined : text;
}

export function asOneOf<Value extends string>(...values: readonly Value[]) {
  return (text: string): Value | undefined =>
    values.find((value) => value.toLowerCase() === text.toLowerCase());
}

export function asPattern(pattern: RegExp) {
  return (text: string): string | undefined => (pattern.test(text) ? text : undefined);
}
