import { isTest, isTypeScript, type SourceCheck, type SourceFile, type Violation } from './check-result.ts';
import { type FoundImport, importsOf } from './imports-of.ts';
import { adapterOf, isDomain, isPure, partOf, pathOfImport } from './workspace-place.ts';

const product = ['ports', 'sip', 'sdp', 'media', 'signalling', 'contract', 'platform', 'adapters'];
const packages = [...product, 'testkit', 'stream-kit', 'hosted-sdk'];

/** The import table of design.md §1: what each part of the workspace may import, besides itself. */
export const importTable: Readonly<Record<string, readonly string[]>> = {
  ports: [],
  sip: [],
  sdp: [],
  media: [],
  signalling: ['ports', 'sip', 'sdp'],
  contract: [],
  platform: ['ports', 'contract'],
  adapters: ['ports', 'media'],
  testkit: product,
  'stream-kit': ['contract'],
  'hosted-sdk': [],
  server: ['ports', 'sip', 'signalling', 'contract', 'platform', 'adapters'],
  console: ['contract'],
  tools: ['contract', 'platform'],
  conformance: [...packages, 'server'],
  benchmarks: [...packages, 'server'],
};

// Tests of the inner parts may use the simulated world, those of the outer parts everything they wire together.
const inTestsToo: Readonly<Record<string, readonly string[]>> = {
  ports: ['testkit'],
  sip: ['testkit'],
  sdp: ['testkit'],
  media: ['testkit'],
  signalling: packages,
  contract: ['testkit'],
  platform: packages,
  adapters: packages,
  server: packages,
  'stream-kit': [...packages, 'server'],
};

/** Imports go only in the directions of the table, and by name from one package to another. */
export const boundaries: SourceCheck = {
  name: 'boundaries',
  find: (files) => files.filter(isTypeScript).flatMap(violationsIn),
};

function violationsIn(file: SourceFile): readonly Violation[] {
  return importsOf(file).flatMap((found) => {
    const sentence = refusal(file, found);
    return sentence === undefined ? [] : [{ path: file.path, line: found.line, sentence }];
  });
}

function refusal(file: SourceFile, found: FoundImport): string | undefined {
  const { target, specifier } = found;
  const test = isTest(file.path);
  const from = partOf(file.path);
  if (target.kind === 'computed') {
    return test ? undefined : 'import() takes a plain string, so that this check can read it';
  }
  if (target.kind === 'file' && !/\.(ts|json)$/.test(specifier)) {
    return `'${specifier}': a relative import ends in .ts`;
  }
  if (!test && target.kind === 'node' && isPure(file.path)) {
    return `'${specifier}': only sip/transport and media/io touch Node; time and randomness are arguments`;
  }
  if (!test && target.kind === 'npm' && isDomain(file.path)) {
    return `'${specifier}': a domain folder imports no package, only its own files, ports, and types of kernel and other features' doors`;
  }
  const path = pathOfImport(found);
  if (path === undefined) return undefined;

  const to = partOf(path);
  if (to === from) return refusalInside(file, found, path);
  if (target.kind === 'file') return `'${specifier}': another package is imported by its name, not by a path`;
  const allowed = [...(importTable[from] ?? []), ...(test ? (inTestsToo[from] ?? []) : [])];
  if (!allowed.includes(to)) {
    const list = allowed.length === 0 ? 'nothing of ours' : allowed.join(', ');
    return `'${specifier}': ${from} may import ${list}`;
  }
  if (!test && isDomain(file.path) && to !== 'ports') {
    return `'${specifier}': a domain folder knows no wire schema; map it in routes.ts or events.ts`;
  }
  return undefined;
}

function refusalInside(file: SourceFile, found: FoundImport, path: string): string | undefined {
  if (isTest(file.path)) return undefined;
  if (isTest(path)) return `'${found.specifier}': only tests import tests and fixtures`;
  const [fromAdapter, toAdapter] = [adapterOf(file.path), adapterOf(path)];
  if (fromAdapter !== undefined && toAdapter !== fromAdapter) {
    return `'${found.specifier}': an adapter imports no other adapter; what two of them need belongs to a port or a library`;
  }
  if (isPure(file.path) && !isDomain(file.path) && !isPure(path)) {
    return `'${found.specifier}': pure code imports nothing from transport/ or io/`;
  }
  if (isDomain(file.path)) return refusalInDomain(found, path);
  return undefined;
}

function refusalInDomain(found: FoundImport, path: string): string | undefined {
  if (isDomain(path)) return undefined;
  const typesMayComeFrom = /^packages\/platform\/src\/kernel\/|\/features\/[^/]+\/index\.ts$/;
  if (typesMayComeFrom.test(path)) {
    return found.typeOnly
      ? undefined
      : `'${found.specifier}': a domain folder takes only types from here (import type)`;
  }
  return `'${found.specifier}': a domain folder imports its own files, ports, and types of kernel and other features' doors`;
}
