import { isTest, lineAt, type SourceCheck, type SourceFile, type Violation } from './check-result.ts';
import { maskOf } from './masked-text.ts';
import { featureOf } from './workspace-place.ts';

const migrationFile = /\/migrations\/(\d{4})-[a-z0-9-]+\.ts$/;
const createPlatform = 'packages/platform/src/create-platform.ts';
/** Files that put features together: `create-platform.ts`, and those that it takes parts from. */
const wiringFile = /^packages\/platform\/src\/create-[a-z-]+\.ts$/;

/** Every feature's list of migrations is imported by a file that puts features together: a forgotten table shows here, not at a customer. (A migration that no list has is an unused file.) */
export const migrations: SourceCheck = {
  name: 'migrations',
  find(files) {
    const product = files.filter(({ path }) => path.endsWith('.ts') && !isTest(path));
    const found = product.filter(({ path }) => migrationFile.test(path));
    return [...numberedTwice(found), ...unlisted(product, found)];
  },
};

function numberedTwice(found: readonly SourceFile[]): readonly Violation[] {
  const first = new Map<string, string>();
  return found.flatMap(({ path }) => {
    const place = path.slice(0, path.lastIndexOf('/') + 5);
    const other = first.get(place);
    first.set(place, other ?? path);
    return other === undefined ? [] : [{ path, line: 1, sentence: `has the number of ${other}` }];
  });
}

/** Features with migrations whose list no such file has; the list is read as `<name>.migrations` after `create<Feature>(`, or as `<name>Migrations` of the feature. */
function unlisted(product: readonly SourceFile[], found: readonly SourceFile[]): readonly Violation[] {
  const wiring = product.filter(({ path }) => wiringFile.test(path));
  if (wiring.length === 0) return [];
  const masked = wiring.map((file) => ({ file, code: maskOf(file).code }));
  const owners = new Set(found.map(({ path }) => featureOf(path)).filter((feature) => feature !== undefined));
  return [...owners].flatMap((feature) => {
    const create = `create${pascalCase(feature)}`;
    const creation = new RegExp(String.raw`\bconst\s+(\w+)\s*=[^;]*?\b${create}\(`);
    const sentence = `the migrations of features/${feature} are not in its list`;
    for (const { file, code } of masked) {
      const made = creation.exec(code);
      if (made === null) continue;
      const isListed = new RegExp(
        String.raw`\b${made[1]}\??\.migrations\b|\.\.\.${camelCase(feature)}Migrations\b`,
      ).test(code);
      return isListed ? [] : [{ path: file.path, line: lineAt(file.text, made.index), sentence }];
    }
    return [{ path: createPlatform, line: 1, sentence }];
  });
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function pascalCase(name: string): string {
  return camelCase(`-${name}`);
}
