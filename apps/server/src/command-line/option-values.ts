import { InvalidArgumentError } from 'commander';

export function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidArgumentError('It must be a port from 0 to 65535; 0 chooses a free one.');
  }
  return port;
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return value;
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
