import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cruise,
  type ICruiseResult,
  type IDependency,
  type IModule,
  type IViolation,
} from 'dependency-cruiser';
import { isTest, lineAt, type Violation } from './check-result.ts';
import { importRules, rulesOfValues } from './import-rules.ts';
import { importedValues } from './imported-values.ts';
import { featureOf } from './workspace-path.ts';

const roots = ['packages', 'apps', 'tools', 'conformance', 'benchmarks', 'examples'];

/** What the imports of the workspace under `root` break: circles of files and of features, and the rules of `import-rules.ts`. */
export async function importViolations(root: string): Promise<readonly Violation[]> {
  const { output } = await cruise(
    roots.filter((directory) => existsSync(join(root, directory))),
    {
      baseDir: root,
      ruleSet: { forbidden: [...importRules] },
      validate: true,
      // dependency-cruiser knows the compiler up to TypeScript 6; ours is 7, so swc parses. Types and values are alike then:
      // `imported-values.ts` does.
      parser: 'swc',
      tsPreCompilationDeps: true,
      doNotFollow: { path: 'node_modules' },
      // Built files of the console.
      exclude: { path: '^apps/console/dist/' },
    },
    {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.svelte', '.js', '.json', '.node'],
    },
  );
  const { summary, modules } = output as ICruiseResult;
  const edges = new Map<string, IDependency>();
  for (const { source, dependencies } of modules) {
    for (const dependency of dependencies) edges.set(`${source} ${dependency.resolved}`, dependency);
  }
  const violation = (path: string, to: string, sentence: string): Violation => {
    const known = edges.get(`${path} ${to}`)?.module ?? to;
    const text = readFileSync(join(root, path), 'utf8');
    // dependency-cruiser names modules of Node without their prefix.
    const specifier = text.includes(`'node:${known}'`) ? `node:${known}` : known;
    const at = Math.max(0, text.indexOf(`'${specifier}'`));
    return { path, line: lineAt(text, at), sentence: `'${specifier}': ${sentence}` };
  };
  const isBroken = ({ from, to, rule }: IViolation): boolean => {
    const edge = edges.get(`${from} ${to}`);
    if (edge === undefined || !rulesOfValues.includes(rule.name)) return true;
    return edge.dynamic || importedValues(join(root, from)).has(edge.module);
  };
  const comments = new Map(importRules.map(({ name, comment }) => [name, comment ?? name]));
  return [
    ...withoutRepeatedCircles(summary.violations)
      .filter(isBroken)
      .map(({ from, to, rule, cycle }) => {
        const way = cycle === undefined ? '' : ` (${[from, ...cycle.map(({ name }) => name)].join(' → ')})`;
        return violation(from, cycle?.[0]?.name ?? to, `${comments.get(rule.name)}${way}`);
      }),
    ...featureCircles(modules).map(({ from, to, way }) =>
      violation(
        from,
        to,
        `features in a circle: ${way.join(' → ')}; a port or an event must notify one of them`,
      ),
    ),
  ];
}

/** dependency-cruiser names a circle once for each of its files. */
function withoutRepeatedCircles(violations: readonly IViolation[]): readonly IViolation[] {
  const known = new Set<string>();
  return violations.filter(({ from, cycle }) => {
    if (cycle === undefined) return true;
    const members = JSON.stringify([...new Set([from, ...cycle.map(({ name }) => name)])].sort());
    if (known.has(members)) return false;
    known.add(members);
    return true;
  });
}

interface FeatureEdge {
  readonly from: string;
  readonly to: string;
}

/** Types count too: a reader follows a circle of types as well. Tests may go against the direction. */
function featureCircles(modules: readonly IModule[]) {
  const edges: FeatureEdge[] = modules
    .filter(({ source }) => !isTest(source) && featureOf(source) !== undefined)
    .flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved }) => ({ from: source, to: resolved })),
    )
    .filter(({ from, to }) => featureOf(to) !== undefined && featureOf(to) !== featureOf(from));
  const next = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    const feature = featureOf(from)!;
    next.set(feature, (next.get(feature) ?? new Set()).add(featureOf(to)!));
  }
  return edges.flatMap((edge) => {
    const way = wayBetween(next, featureOf(edge.to)!, featureOf(edge.from)!);
    return way === undefined ? [] : [{ ...edge, way: [featureOf(edge.from)!, ...way] }];
  });
}

function wayBetween(
  next: ReadonlyMap<string, ReadonlySet<string>>,
  from: string,
  goal: string,
  seen = new Set<string>(),
): readonly string[] | undefined {
  if (from === goal) return [from];
  if (seen.has(from)) return undefined;
  seen.add(from);
  for (const feature of next.get(from) ?? []) {
    const rest = wayBetween(next, feature, goal, seen);
    if (rest !== undefined) return [from, ...rest];
  }
  return undefined;
}

if (import.meta.main) {
  const violations = await importViolations(process.argv[2] ?? process.cwd());
  for (const { path, line, sentence } of violations) console.log(`${path}:${line} ${sentence}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
