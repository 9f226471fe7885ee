import { InvalidArgumentError } from 'commander';
import { asPortRange } from '../config-values.ts';

export function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidArgumentError('It must be a port from 0 to 65535; 0 chooses a free one.');
  }
  return port;
}

export function portRange(text: string): string {
  if (asPortRange(text) === undefined)
    throw new InvalidArgumentError('It must be two ports from 1024 to 65535, such as 39900-39939.');
  return text;
}

/** A name or an address with a port; IPv6 addresses are in brackets. */
export function hostAndPort(text: string): string {
  if (!/^(?:[^\s:[\]/@]+|\[[\da-f:.]+\]):\d{1,5}$/i.test(text) || !URL.canParse(`stun://${text}`))
    throw new InvalidArgumentError('It must be a host and a port, such as stun.example.com:3478.');
  return text;
}

export const wholeNumber = wholeNumberWithin(Number.POSITIVE_INFINITY, 'from 1 on');

export function wholeNumberTo(most: number) {
  return wholeNumberWithin(most, `from 1 to ${most}`);
}

function wholeNumberWithin(most: number, range: string) {
  return (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < 1 || value > most)
      throw new InvalidArgumentError(`It must be a whole number ${range}.`);
    return value;
  };
}

export function amount(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('It must be an amount such as 0.05.');
  return value;
}

export function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new InvalidArgumentError('It must be a URL such as https://calls.example.com.');
  return text;
}

export function webSocketUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^wss?:$/.test(url.protocol) || url.pathname !== '/')
    throw new InvalidArgumentError('It must be a URL such as wss://me.example.com, without a path.');
  return url.origin === 'null' ? text.replace(/\/$/, '') : url.origin;
}
