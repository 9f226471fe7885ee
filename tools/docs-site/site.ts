import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { slugOf } from '../checks/headings.ts';
import { type Highlighting, highlightOnce } from './highlight-once.ts';
import { headOutsideScripts, inlineScripts } from './inline-scripts.ts';
import { sidebar } from './navigation.ts';
import { type MarkdownRules, unlinkOutside } from './outside-links.ts';

/** Where the server has the site; `packages/platform/src/http/guide.ts` serves it. */
const servedAt = '/docs/guide/';

const scripts = inlineScripts();

/** What VitePress builds: pages, a local search, and nothing that is fetched from another host. */
export const site = {
  title: 'Jackfield',
  description: 'An open communications platform that you run yourself',
  lang: 'en',
  base: servedAt,
  cleanUrls: true,
  // Without it each page has its data in a script of its own, which the policy of the server refuses.
  metaChunk: true,
  // A page with the whole menu would fetch every other page.
  router: { prefetchLinks: false },
  lastUpdated: false,
  // A style inside the page would switch transitions off for a moment, which the policy refuses.
  appearance: { disableTransition: false },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcExclude: ['**/*.schema.json'],
  // The target of the workspace is newer than what VitePress's esbuild knows.
  vite: { esbuild: { tsconfigRaw: '{}' } },
  markdown: {
    anchor: { slugify: slugOf },
    config: (markdown: MarkdownRules & Highlighting) => {
      unlinkOutside(markdown);
      highlightOnce(markdown);
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: sidebar(),
    outline: [2, 3],
    nav: [
      // Of the server, not of the site.
      { text: 'API reference', link: `/docs/`, target: '_self' },
    ],
    docFooter: { prev: 'Before', next: 'Next' },
  },
  transformHtml: (html: string) => headOutsideScripts(html, scripts, servedAt),
  buildEnd: ({ outDir }: { readonly outDir: string }) => {
    writeFileSync(join(outDir, scripts.file), scripts.text());
  },
};
