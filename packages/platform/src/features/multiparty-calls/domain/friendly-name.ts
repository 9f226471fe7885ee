/** Names are part of paths: a slash would be read as the end of one by proxies between a client and us. */
const shape = /^[^/\p{Cc}\p{Cs}]{1,100}$/u;

export const friendlyNameAllowed =
  '1 to 100 characters, without slashes and control characters, and with no space at either end';

/** Whether a call can have this name; one that cannot is not looked for either. */
export function isFriendlyName(text: string): boolean {
  return shape.test(text) && text.trim() === text;
}
