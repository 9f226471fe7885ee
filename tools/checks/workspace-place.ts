import type { FoundImport } from './imports-of.ts';

/** The part of the workspace that a path belongs to: the name of its package or app, or of a folder at the root. */
export function partOf(path: string): string {
  const [first = '', second = ''] = path.split('/');
  return first === 'packages' || first === 'apps' ? second : first;
}

/** The path inside the workspace to which an import leads, or undefined for Node and the registry. */
export function pathOfImport({ target }: FoundImport): string | undefined {
  if (target.kind === 'file') return target.path;
  if (target.kind !== 'workspace') return undefined;
  const parent = target.package === 'server' || target.package === 'console' ? 'apps' : 'packages';
  const door = target.subpath === '' ? 'index.ts' : `${target.subpath}/index.ts`;
  return `${parent}/${target.package}/src/${door}`;
}

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

export function isDomain(path: string): boolean {
  return /^packages\/platform\/src\/(.*\/)?domain\//.test(path);
}
