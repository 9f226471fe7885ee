import type { SourceFile } from '../checks/check-result.ts';
import { type CoveredSection, coverageOf } from './coverage.ts';
import { rfcTitles } from './rfc-titles.ts';

/** Where the page stands. */
export const pagePath = 'docs/reference/rfc-coverage.md';
/** What writes it. */
export const writer = 'npx node tools/rfc-coverage/write-page.ts';

/** The page as it must read: RFC section → source → test title. */
export function pageOf(files: readonly SourceFile[]): string {
  const sections = coverageOf(files);
  const rfcs = [...new Set(sections.map(({ rfc }) => rfc))];
  const tests = new Set(sections.flatMap((each) => each.tests.map(({ title, path }) => `${path} ${title}`)));
  const head = [
    '# Coverage of RFCs',
    '',
    `After this page you know which sections of RFCs the code names. Written by \`${writer}\` from the comments and test titles of sip, sdp and media: ${rfcs.length} RFCs, ` +
      `${sections.length} sections, ${tests.size} tests titled by what they hold. A section stands here when a source or a test names it.`,
    '',
  ];
  const chapters = rfcs.flatMap((rfc) =>
    chapterOf(
      rfc,
      sections.filter((each) => each.rfc === rfc),
    ),
  );
  return [...head, ...chapters].join('\n');
}

function chapterOf(rfc: number, sections: readonly CoveredSection[]): readonly string[] {
  const title = rfcTitles[rfc];
  return [
    `## RFC ${rfc}${title === undefined ? '' : `: ${title}`}`,
    '',
    '| section | source | tests |',
    '|---|---|---|',
    ...sections.map(rowOf),
    '',
  ];
}

function rowOf({ section, sources, tests }: CoveredSection): string {
  const byPath = Map.groupBy(tests, ({ path }) => path);
  const titles = [...byPath].map(([path, titled]) => {
    const list = titled.map(({ title }) => cellOf(title)).join('<br>');
    return `${linkTo(path)}<br>${list}`;
  });
  return `| ${section === '' ? 'whole' : `§${section}`} | ${sources.map(linkTo).join('<br>')} | ${titles.join('<br>')} |`;
}

function linkTo(path: string): string {
  const short = path.replace(/^packages\//, '').replace('/src/', '/');
  return `[${short}](../../${path})`;
}

/** A title in a table of Markdown: what would be markup there is not. */
function cellOf(title: string): string {
  return title
    .replace(/\\(['"`\\])/g, '$1')
    .replace(/\s+/g, ' ')
    .replace(/[\\|`*_[\]<>]/g, '\\$&');
}
