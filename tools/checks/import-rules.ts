import type { IForbiddenRuleType } from 'dependency-cruiser';

const product = ['ports', 'sip', 'sdp', 'media', 'signalling', 'contract', 'platform', 'adapters'];
const packages = [...product, 'testkit', 'testing', 'stream-kit', 'hosted-sdk', 'voice-sdk'];
const apps = ['server', 'console'];

/** What each part of the workspace may import, besides itself; ARCHITECTURE.md shows the same table. */
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
  testing: ['ports', 'sip', 'platform', 'testkit'],
  'stream-kit': ['contract'],
  'hosted-sdk': [],
  'voice-sdk': ['sip', 'contract'],
  server: ['ports', 'sip', 'signalling', 'contract', 'platform', 'adapters', 'testing', 'stream-kit'],
  console: ['contract', 'voice-sdk'],
  tools: ['contract', 'platform', 'server'],
  conformance: [...packages, 'server', 'examples'],
  benchmarks: [...packages, 'server'],
  examples: ['testing'],
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
  'voice-sdk': ['testkit'],
};

// `packages/testing` is a package for customers, not a folder of tests.
const test = String.raw`\.test\.ts$|(?<!^packages)/(fixtures|testing)/`;
const ours = '^(packages|apps|tools|conformance|benchmarks|examples)/';
const platform = '^packages/platform/src/';
const domain = `${platform}(domain|.+/domain)/`;
const libraries = '^packages/(sip|sdp|media)/src/';
const edges = '^packages/(sip/src/transport|media/src/io)/';
const kernel = `${platform}kernel/`;
const ports = '^packages/ports/';
const publicApis = `${platform}features/[^/]+/index[.]ts$`;

function folderOf(part: string): string {
  if (packages.includes(part)) return `^packages/${part}/`;
  return apps.includes(part) ? `^apps/${part}/` : `^${part}/`;
}

function tableRules(part: string): readonly IForbiddenRuleType[] {
  const inProduct = importTable[part] ?? [];
  const inTests = [...new Set([...inProduct, ...(inTestsToo[part] ?? [])])];
  const rule = (who: string, from: object, allowed: readonly string[]): IForbiddenRuleType => ({
    name: who.replaceAll(' ', '-'),
    comment: `${who} may import ${allowed.length === 0 ? 'nothing of the workspace' : allowed.join(', ')}`,
    from,
    to: { path: ours, pathNot: [folderOf(part), ...allowed.map(folderOf)] },
  });
  return [
    rule(part, { path: folderOf(part), pathNot: test }, inProduct),
    rule(`tests of ${part}`, { path: `${folderOf(part)}.*(${test})` }, inTests),
  ];
}

const npm = [
  'npm',
  'npm-dev',
  'npm-optional',
  'npm-peer',
  'npm-bundled',
  'npm-no-pkg',
  'npm-unknown',
] as const;

/** `allowsTypes`: an import of types alone breaks no such rule. */
type ImportRule = IForbiddenRuleType & { readonly allowsTypes?: true };

const rules: readonly ImportRule[] = [
  {
    name: 'circle',
    comment: 'files import each other in a circle: move what both need into a file of its own',
    from: {},
    to: { circular: true },
  },
  ...Object.keys(importTable).flatMap(tableRules),
  {
    name: 'by-name',
    comment: 'another package is imported by its name, not by a path',
    from: { path: '^(packages|apps)/([^/]+)/' },
    to: {
      path: ours,
      pathNot: '^$1/$2/',
      dependencyTypes: ['local'],
      dependencyTypesNot: ['aliased-workspace'],
    },
  },
  {
    name: 'by-name',
    comment: 'another package is imported by its name, not by a path',
    from: { path: '^(tools|conformance|benchmarks|examples)/' },
    to: { path: '^(packages|apps)/', dependencyTypes: ['local'], dependencyTypesNot: ['aliased-workspace'] },
  },
  {
    name: 'found',
    comment: 'the import leads to no file: a relative import ends in .ts, a module of Node begins with node:',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'tests-only',
    comment: 'only tests import tests and fixtures',
    from: { path: ours, pathNot: test },
    to: { path: test },
  },
  {
    name: 'no-development-package',
    comment: 'only tests import a devDependency: what the product needs stands among the dependencies',
    // The build of the console runs before the product does.
    from: { path: '^(packages|apps)/', pathNot: [test, '^apps/console/build/'] },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm-peer'] },
  },
  {
    name: 'listed',
    comment: 'the package is not among the dependencies of the own package.json',
    from: { path: '^(packages|apps)/', pathNot: test },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'no-node',
    comment: 'only sip/transport and media/io touch Node; time and randomness are arguments',
    from: { path: [libraries, ports, domain], pathNot: [test, edges] },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'no-edge',
    comment: 'pure code imports nothing from transport/ or io/',
    from: { path: libraries, pathNot: [test, edges] },
    to: { path: edges },
  },
  {
    name: 'adapter',
    comment: 'an adapter imports no other adapter; what two of them need belongs to a port or a library',
    from: { path: '^packages/adapters/src/([^/]+)/', pathNot: test },
    to: { path: '^packages/adapters/src/', pathNot: '^packages/adapters/src/$1/' },
  },
  {
    name: 'domain',
    comment:
      "a domain folder imports its own files, ports, and types of kernel and of other features' public APIs",
    from: { path: domain, pathNot: test },
    to: { path: ours, pathNot: [domain, ports, kernel, publicApis, '^packages/contract/'] },
  },
  {
    name: 'domain-types',
    comment: "of kernel and of other features' public APIs a domain folder imports only types (import type)",
    from: { path: domain, pathNot: test },
    to: { path: [kernel, publicApis], pathNot: domain },
    allowsTypes: true,
  },
  {
    name: 'domain-package',
    comment: 'a domain folder imports no package',
    from: { path: domain, pathNot: test },
    to: { dependencyTypes: [...npm] },
  },
  {
    name: 'domain-schema',
    comment: 'a domain folder knows no wire schema; map it in routes.ts or events.ts',
    from: { path: domain, pathNot: test },
    to: { path: '^packages/contract/' },
  },
  {
    name: 'feature-public-api',
    comment: 'a feature is entered through its public API, features/<name>/index.ts',
    from: { path: `${platform}features/([^/]+)/`, pathNot: test },
    to: { path: `${platform}features/`, pathNot: [`${platform}features/$1/`, publicApis] },
  },
  {
    name: 'kernel',
    comment: 'the kernel imports no feature',
    from: { path: kernel, pathNot: test },
    to: { path: `${platform}features/` },
  },
  {
    name: 'own-public-api',
    comment: "the package's public API is for other packages",
    from: { path: `${platform}(features|kernel)/`, pathNot: test },
    to: { path: `${platform}index[.]ts$` },
  },
];

/** The rules of imports, each a reason to fail. */
export const importRules: readonly IForbiddenRuleType[] = rules.map(({ allowsTypes: _, ...rule }) => ({
  severity: 'error',
  ...rule,
}));

/** The names of the rules that `import type` does not break. dependency-cruiser cannot see the difference when swc parses. */
export const rulesOfValues: readonly string[] = rules.flatMap(({ name = '', allowsTypes }) =>
  allowsTypes ? [name] : [],
);
