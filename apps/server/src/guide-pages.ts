import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { GuidePages } from '@jackfield/platform';

/** The guide of the published package, beside its `dist`. */
const packed = join(import.meta.dirname, '../guide');
/** The guide that `npm run docs` builds in a clone. */
const built = join(import.meta.dirname, '../../../docs/.vitepress/dist');

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Names of files and folders as the site has them; none leads out of its directory. */
const sitePath = /^(?:[\w@-][\w@.-]*\/)*(?:[\w@-][\w@.-]*)?$/;

/** The files of the built documentation, read when they are asked for. */
export function createGuidePages(directory = existsSync(packed) ? packed : built): GuidePages {
  return {
    async file(path) {
      if (!sitePath.test(path)) return undefined;
      for (const name of fileNames(path)) {
        const contentType = contentTypes[extname(name)];
        const bytes = contentType === undefined ? undefined : await readIfThere(join(directory, name));
        if (contentType !== undefined && bytes !== undefined) {
          return { contentType, bytes, isImmutable: name.startsWith('assets/') };
        }
      }
      return undefined;
    },
  };
}

/** `start/install` is a page, or a folder with a first page; a name with another ending is a file. */
function fileNames(path: string): readonly string[] {
  const name = path.replace(/\/$/, '');
  if (name === '') return ['index.html'];
  return extname(name) === '' ? [`${name}.html`, `${name}/index.html`] : [name];
}

async function readIfThere(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
}
