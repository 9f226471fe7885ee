/** The feature of platform that a path belongs to. */
export function featureOf(path: string): string | undefined {
  return /^packages\/platform\/src\/features\/([^/]+)\//.exec(path)?.[1];
}

/** The adapter that a path belongs to. */
export function adapterOf(path: string): string | undefined {
  return /^packages\/adapters\/src\/([^/]+)\//.exec(path)?.[1];
}

/** Code without Node, time and randomness: ports, the protocol libraries except their edges, and every `domain/` folder. */
export function isPure(path: string): boolean {
  if (/^packages\/(sip\/src\/transport|media\/src\/io)\//.test(path)) return false;
  return /^packages\/(ports|sip|sdp|media)\/src\//.test(path) || isDomain(path);
}

function isDomain(path: string): boolean {
  return /^packages\/platform\/src\/(.*\/)?domain\//.test(path);
}
