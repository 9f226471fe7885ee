/** Names are part of paths: proxies would read a slash as the end of a segment. */
const shape = /^[^/\p{Cc}\p{Cs}]{1,100}$/u;

export const friendlyNameAllowed =
  '1 to 100 characters, without slashes and control characters, and with no space at either end';

/** Whether a call can have this name. Other names are not looked up. */
export function isFriendlyName(text: string): boolean {
  return shape.test(text) && text.trim() === text;
}
