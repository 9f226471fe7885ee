import { isTest, isTypeScript, type SourceCheck, type SourceFile, type Violation } from './check-result.ts';
import { importsOf } from './imports-of.ts';
import { featureOf, pathOfImport } from './workspace-place.ts';

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly path: string;
  readonly line: number;
}

/** Features meet only at their doors and never in a circle; the kernel knows none of them. */
export const features: SourceCheck = {
  name: 'features',
  find(files) {
    const violations: Violation[] = [];
    const edges: Edge[] = [];
    for (const file of files.filter((each) => isTypeScript(each) && !isTest(each.path))) {
      for (const edge of edgesOf(file, violations)) edges.push(edge);
    }
    return [...violations, ...cyclesIn(edges)];
  },
};

function edgesOf(file: SourceFile, violations: Violation[]): readonly Edge[] {
  const from = featureOf(file.path);
  const inner = /^packages\/platform\/src\/kernel\//.test(file.path);
  if (from === undefined && !inner) return [];
  const edges: Edge[] = [];
  for (const found of importsOf(file)) {
    const path = pathOfImport(found);
    const at = { path: file.path, line: found.line };
    if (path === 'packages/platform/src/index.ts') {
      violations.push({ ...at, sentence: `'${found.specifier}': the package's door is for other packages` });
    }
    const to = path === undefined ? undefined : featureOf(path);
    if (path === undefined || to === undefined || to === from) continue;
    if (inner) {
      violations.push({ ...at, sentence: `'${found.specifier}': the kernel imports no feature` });
    } else if (!path.endsWith(`/features/${to}/index.ts`)) {
      const sentence = `'${found.specifier}': a feature is entered through its door, features/${to}/index.ts`;
      violations.push({ ...at, sentence });
    }
    if (from !== undefined) edges.push({ from, to, ...at });
  }
  return edges;
}

/** Types count too: a circle of types is a circle for whoever reads the code. */
function cyclesIn(edges: readonly Edge[]): readonly Violation[] {
  const reaches = (from: string, goal: string, seen = new Set<string>()): readonly string[] | undefined => {
    if (from === goal) return [from];
    if (seen.has(from)) return undefined;
    seen.add(from);
    for (const edge of edges) {
      if (edge.from !== from) continue;
      const rest = reaches(edge.to, goal, seen);
      if (rest !== undefined) return [from, ...rest];
    }
    return undefined;
  };
  return edges.flatMap(({ from, to, path, line }) => {
    const way = reaches(to, from);
    if (way === undefined) return [];
    const sentence = `features in a circle: ${[from, ...way].join(' → ')}; one of them must be told by a port or an event`;
    return [{ path, line, sentence }];
  });
}
