import { InvalidArgumentError } from 'commander';
import { asPortRange } from '../config-values.ts';

/** An empty text is no number: a variable of the shell that was not set. */
const digits = /^\d{1,15}$/;

export function portNumber(text: string): number {
  if (!digits.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be a port from 0 to 65535; 0 chooses a free one.');
  return Number(text);
}

/** Two for each side of two calls: that of the calling phone, and that to the phone with which it is connected. */
const portsOfOwnCall = 8;

export function portsForOwnCall(text: string): string {
  const { first, last } = asPortRange(text) ?? { first: 0, last: 0 };
  if (last - first + 1 < portsOfOwnCall)
    throw new InvalidArgumentError(
      `It must be ${portsOfOwnCall} or more ports from 1024 to 65535, such as 39900-39939.`,
    );
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
    if (!digits.test(text) || value < 1 || value > most)
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
  if (!isHttpUrl(text)) throw new InvalidArgumentError('It must be a URL such as https://calls.example.com.');
  return text;
}

export function isHttpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '';
}

export function webSocketUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^wss?:$/.test(url.protocol) || url.pathname !== '/')
    throw new InvalidArgumentError('It must be a URL such as wss://me.example.com, without a path.');
  return url.origin === 'null' ? text.replace(/\/$/, '') : url.origin;
}
