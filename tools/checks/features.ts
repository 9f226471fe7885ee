import { isTest, type SourceCheck, type SourceFile, type Violation } from './check-result.ts';
import { maskOf } from './masked-text.ts';
import { featureOf } from './workspace-path.ts';

const folder = 'packages/platform/src/features';
/** Phones of the sandbox are devices at the other end of the network: the server starts them, the platform does not know them. */
const noFeatures: readonly string[] = ['sandbox-phones'];
/** What a file at the top of a feature's folder does; `<what>-<role>.ts` where there are two of them. */
const roles: readonly string[] = [
  'commands',
  'effects',
  'events',
  'filters',
  'parameters',
  'queries',
  'refusals',
  'resources',
  'routes',
  'sessions',
  'store',
  'tables',
  'views',
];
const readmeLines = 40;
/** What create<Feature> decides beyond that is a rule of the feature. */
const mostDecisions = 3;
/** Files that put features together: `create-platform.ts`, and those that it takes parts from. */
const wiringFile = /^packages\/platform\/src\/create-[a-z-]+\.ts$/;

/** Every feature has the same file names, exports `create<Feature>`, and is created and listed where features are put together. */
export const features: SourceCheck = { name: 'features', find: violationsIn };

function violationsIn(files: readonly SourceFile[]): readonly Violation[] {
  const byFeature = new Map<string, SourceFile[]>();
  for (const file of files) {
    const feature = featureOf(file.path);
    if (feature !== undefined) byFeature.set(feature, [...(byFeature.get(feature) ?? []), file]);
  }
  const wiring = files.filter(({ path }) => wiringFile.test(path)).map((file) => maskOf(file).code);
  return [...byFeature].flatMap(([feature, own]) => [
    ...misnamed(feature, own),
    ...documented(feature, own),
    ...(noFeatures.includes(feature) ? [] : shaped(feature, own)),
    ...deciding(feature, own),
    ...(noFeatures.includes(feature) || wiring.length === 0 ? [] : wired(feature, wiring)),
  ]);
}

function misnamed(feature: string, files: readonly SourceFile[]): readonly Violation[] {
  const named = new RegExp(`^([a-z0-9-]+-)?(${roles.join('|')})\\.ts$`);
  const fixed = ['README.md', 'index.ts', 'public-api.ts', `create-${feature}.ts`, `start-${feature}.ts`];
  return files.flatMap(({ path }) => {
    const name = path.slice(`${folder}/${feature}/`.length);
    if (name.includes('/') || isTest(path) || fixed.includes(name) || named.test(name)) return [];
    const sentence = `at the top of a feature stand ${fixed.slice(0, 4).join(', ')} and <what>-<role>.ts with one of the roles ${roles.join(', ')}; the rest has a subfolder`;
    return [{ path, line: 1, sentence }];
  });
}

function documented(feature: string, files: readonly SourceFile[]): readonly Violation[] {
  const path = `${folder}/${feature}/README.md`;
  const readme = files.find((file) => file.path === path);
  if (readme === undefined) return [{ path, line: 1, sentence: 'every feature has a README.md' }];
  const lines = readme.text.trimEnd().split('\n').length;
  if (lines <= readmeLines) return [];
  const sentence = `has ${lines} lines: the README of a feature has at most ${readmeLines}`;
  return [{ path, line: readmeLines + 1, sentence }];
}

function shaped(feature: string, files: readonly SourceFile[]): readonly Violation[] {
  const create = `create${pascalCase(feature)}`;
  const textOf = (name: string) => files.find(({ path }) => path === `${folder}/${feature}/${name}`)?.text;
  const missing = (name: string, sentence: string): Violation => ({
    path: `${folder}/${feature}/${name}`,
    line: 1,
    sentence,
  });
  const creation = textOf(`create-${feature}.ts`) ?? '';
  const isMade = creation.includes(`export function ${create}(`);
  const isFeature =
    /\bextends Feature\b|\): Feature \{/.test(creation) && creation.includes(`name: '${feature}',`);
  return [
    ...(isMade ? [] : [missing(`create-${feature}.ts`, `exports ${create}(deps)`)]),
    ...(isFeature
      ? []
      : [
          missing(
            `create-${feature}.ts`,
            `${create} gives a Feature (feature.ts) whose name is '${feature}'`,
          ),
        ]),
    ...(new RegExp(`\\b${create}\\b`).test(textOf('index.ts') ?? '')
      ? []
      : [missing('index.ts', `the public API of a feature exports ${create}`)]),
  ];
}

/** `create<Feature>` puts the parts of the feature together; statements that decide or repeat stand in those parts. */
function deciding(feature: string, files: readonly SourceFile[]): readonly Violation[] {
  const file = files.find(({ path }) => path === `${folder}/${feature}/create-${feature}.ts`);
  if (file === undefined) return [];
  const { code } = maskOf(file);
  const create = `create${pascalCase(feature)}`;
  const from = code.indexOf(`export function ${create}(`);
  if (from === -1) return [];
  const end = code.indexOf('\n}\n', from);
  const body = code.slice(from, end === -1 ? undefined : end);
  const decisions = body.match(/\b(?:if|for|while|switch|catch) ?(?:await )?\(/g)?.length ?? 0;
  if (decisions <= mostDecisions) return [];
  const line = code.slice(0, from).split('\n').length;
  const sentence = `${create} holds ${decisions} statements of if, for, while, switch or catch, at most ${mostDecisions}: it only wires, so move its rules to a file of their own`;
  return [{ path: file.path, line, sentence }];
}

/** Created in the list itself, or beside it and named in it. */
function wired(feature: string, wiring: readonly string[]): readonly Violation[] {
  const create = `create${pascalCase(feature)}`;
  const path = 'packages/platform/src/create-features.ts';
  const lists = wiring.flatMap((code) => code.match(/\b(?:Feature\[\] = |features: )\[[^;]*?\]/g) ?? []);
  const isListed = (name: string) => lists.some((list) => new RegExp(`\\b${name}\\b`).test(list));
  const made = wiring.flatMap((code) => {
    const found = new RegExp(String.raw`\bconst\s+(\w+)\b[^;=]*=[^;]*?\b${create}\(`).exec(code);
    return found === null ? [] : [found[1]!];
  });
  if (isListed(`${create}\\(`) || isListed(create) || made.some(isListed)) return [];
  const sentence = `features/${feature} is in no list of features: call ${create} there, or name what it gives`;
  return [{ path, line: 1, sentence }];
}

function pascalCase(name: string): string {
  return `-${name}`.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
