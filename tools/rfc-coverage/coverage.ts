import type { SourceFile } from '../checks/check-result.ts';
import { type RfcReference, referencesIn } from './references.ts';
import { commentsOf, literalsOf } from './texts.ts';

/** A test by its title. */
export interface TitledTest {
  readonly title: string;
  readonly path: string;
}

/** What stands for one section of an RFC. */
export interface CoveredSection extends RfcReference {
  /** Paths of the sources whose comments name it, in order. */
  readonly sources: readonly string[];
  readonly tests: readonly TitledTest[];
}

const LIBRARIES = /^packages\/(sip|sdp|media)\/src\/.*\.ts$/;
/** A section without an RFC in the SIP stack is one of RFC 3261. */
const STANDING: Readonly<Record<string, number>> = { sip: 3261 };

/** Every section that a comment or a test title of sip, sdp and media names, in order of RFC and section. */
export function coverageOf(files: readonly SourceFile[]): readonly CoveredSection[] {
  const found = new Map<string, { reference: RfcReference; sources: Set<string>; tests: TitledTest[] }>();
  const entry = (reference: RfcReference) => {
    const key = `${reference.rfc} ${reference.section}`;
    const known = found.get(key) ?? { reference, sources: new Set(), tests: [] };
    found.set(key, known);
    return known;
  };
  for (const file of files) {
    const { path } = file;
    const part = LIBRARIES.exec(path)?.[1];
    if (part === undefined || path.includes('/testing/')) continue;
    const standing = STANDING[part];
    if (path.endsWith('.test.ts')) {
      for (const { title, references } of titlesIn(file, standing)) {
        for (const each of references) entry(each).tests.push({ title, path });
      }
    } else {
      for (const { text } of commentsOf(file)) {
        for (const each of referencesIn(text, standing)) entry(each).sources.add(path);
      }
    }
  }
  return [...found.values()]
    .map(({ reference, sources, tests }) => ({ ...reference, sources: [...sources].sort(), tests }))
    .sort((left, right) => left.rfc - right.rfc || bySection(left.section, right.section));
}

const OPENS_TEST = /\b(?:it|test|describe|suite)\(\s*['"`]$/;

/**
 * Titles, and rows of tables that begin as a title does. A `describe` that names an RFC lends it to the sections in the titles
 * below.
 */
function titlesIn(file: SourceFile, standing: number | undefined) {
  let lent = standing;
  return literalsOf(file).flatMap(({ text, before }) => {
    if (!OPENS_TEST.test(before) && !/^(?:§|RFC )[0-9]/.test(text)) return [];
    const references = referencesIn(text, lent);
    if (/\bdescribe\(\s*['"`]$/.test(before)) lent = references[0]?.rfc ?? standing;
    return references.length === 0 ? [] : [{ title: text, references }];
  });
}

function bySection(left: string, right: string): number {
  const [these, those] = [left, right].map((section) => section.split('.').map(Number));
  for (let index = 0; index < Math.max(these!.length, those!.length); index += 1) {
    const difference = (these![index] ?? -1) - (those![index] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}
