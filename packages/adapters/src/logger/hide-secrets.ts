/** Names of fields whose values are never written, compared without case, dashes and underscores. */
const secretNames = new Set([
  'password',
  'authtoken',
  'token',
  'authorization',
  'proxyauthorization',
  'secret',
  'secrets',
  'secretkey',
  'privatekey',
  'ha1',
  'cookie',
  'setcookie',
  'otp',
]);

const hidden = '[hidden]';
const header = /^((?:proxy-)?authorization[ \t]*:).*$/gim;
const credentialsInUrl = /(?<=\b[a-z][a-z0-9+.-]{1,30}:\/\/)[^\s/@]+(?=@)/gi;
// Deeper than any of our events; deeper levels are omitted.
const maxDepth = 6;

/** A copy of `fields` without secrets: by field name, and inside texts as SIP or HTTP header or in a URL. */
export function hideSecrets(fields: object): Record<string, unknown> {
  return copyOf(fields, 0) as Record<string, unknown>;
}

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value === 'string')
    return value.replace(header, `$1 ${hidden}`).replace(credentialsInUrl, hidden);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return errorOf(value, depth);
  if (depth >= maxDepth) return '[deeper]';
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((each) => copyOf(each, depth + 1));
  if (value instanceof Date) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) {
    copy[name] = isSecret(name) ? hidden : copyOf(each, depth + 1);
  }
  return copy;
}

function errorOf(error: Error, depth: number): unknown {
  const { name, message, stack, cause, ...rest } = error;
  return {
    ...(depth < maxDepth ? (copyOf(rest, depth + 1) as object) : {}),
    type: error.name,
    message: copyOf(error.message, depth),
    stack: copyOf(error.stack, depth),
    ...(error.cause === undefined || depth >= maxDepth ? {} : { cause: copyOf(error.cause, depth + 1) }),
  };
}

function isSecret(name: string): boolean {
  return secretNames.has(name.toLowerCase().replace(/[-_]/g, ''));
}
