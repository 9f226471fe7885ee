import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const docs = join(import.meta.dirname, '../../docs');

export interface Section {
  readonly title: string;
  /** Pages of `docs/` without their `.md`, in the order in which they are read. */
  readonly pages: readonly string[];
  /** Sections that are long and rarely read begin closed. */
  readonly isClosed?: true;
}

/** Every page of the site; a test compares this list with the files. */
export const sections: readonly Section[] = [
  {
    title: 'Start',
    pages: [
      'start/install',
      'start/first-call',
      'start/your-phone',
      'start/your-program',
      'start/voice-agent',
    ],
  },
  {
    title: 'Guides',
    pages: [
      'guides/contact-centre',
      'guides/multiparty-calls',
      'guides/documents',
      'guides/callbacks',
      'guides/numbers',
      'guides/carriers',
      'guides/trunks',
      'guides/streams',
      'guides/voice-agents',
      'guides/recordings',
      'guides/verify',
      'guides/machine-detection',
      'guides/speech-recognition',
      'guides/transcripts',
      'guides/speech-engines',
      'guides/browsers',
      'guides/hosted-sdks',
      'guides/moving',
      'guides/production',
      'guides/behind-nginx',
      'guides/edge-proxy',
      'guides/testing',
      'guides/sandbox',
      'guides/console',
    ],
  },
  {
    title: 'Operate',
    pages: [
      'operate/deploy',
      'operate/configuration',
      'operate/systemd',
      'operate/containers',
      'operate/kubernetes',
      'operate/tls',
      'operate/nat',
      'operate/postgresql',
      'operate/backup-and-upgrade',
      'operate/metrics',
      'operate/tracing',
      'operate/limits',
      'operate/processes',
      'operate/cluster',
      'operate/security',
      'operate/identity-provider',
      'operate/sizing',
      'operate/troubleshooting',
    ],
  },
  {
    title: 'Reference',
    pages: [
      'reference/http-api',
      'reference/call-instructions',
      'reference/speech',
      'reference/stream-frames',
      'reference/webhooks',
      'reference/causes',
      'reference/configuration',
      'reference/command-line',
      'reference/commands',
      'reference/metrics',
      'reference/errors',
      'reference/compatibility',
      'reference/rfc-coverage',
      'benchmarks',
    ],
  },
  {
    title: 'The interface, page by page',
    isClosed: true,
    pages: [
      'interface/index',
      'interface/requests',
      'interface/accounts',
      'interface/signatures',
      'interface/client-tokens',
      'interface/endpoints',
      'interface/applications',
      'interface/calls',
      'interface/documents',
      'interface/multiparty-calls',
      'interface/recordings',
      'interface/streams',
      'interface/trunks',
      'interface/verify',
    ],
  },
  {
    title: 'Explanation',
    pages: [
      'explanation/architecture',
      'explanation/life-of-a-call',
      'explanation/life-of-a-frame',
      'explanation/hearing',
      'explanation/coming-from',
      'explanation/glossary',
      'decisions/index',
    ],
  },
];

/** What the side of the site shows; a page has the name of its first heading. */
export function sidebar(): readonly object[] {
  return sections.map(({ title, pages, isClosed = false }) => ({
    text: title,
    collapsed: isClosed,
    items: pages.map((page) => ({ text: headingOf(page), link: `/${page.replace(/(^|\/)index$/, '$1')}` })),
  }));
}

function headingOf(page: string): string {
  const text = readFileSync(join(docs, `${page}.md`), 'utf8');
  const heading = /^# (.+)$/m.exec(text)?.[1];
  if (heading === undefined) throw new Error(`docs/${page}.md has no first heading`);
  return heading.replaceAll('`', '');
}
