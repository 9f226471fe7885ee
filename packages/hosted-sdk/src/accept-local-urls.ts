/** A check of the SDK: returns true or throws. */
type Check = (name: string, value: unknown, ...rest: readonly unknown[]) => boolean;

/** The SDK's URL checks, which its resources and its XML helper look up at each use. */
export interface UrlChecks {
  validUrl: Check;
  isOneAmongStringUrl: Check;
}

/**
 * Makes the checks accept every HTTP URL. The SDK's pattern requires a dot and two to six lower-case letters, which
 * `http://127.0.0.1:8000/answer` lacks. The SDK checks other values as before.
 */
export function acceptLocalUrls(checks: UrlChecks): void {
  for (const name of ['validUrl', 'isOneAmongStringUrl'] as const) {
    const check = checks[name];
    checks[name] = (parameter, value, ...rest) => isHttpUrl(value) || check(parameter, value, ...rest);
  }
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
