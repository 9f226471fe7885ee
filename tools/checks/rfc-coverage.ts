import { pageOf, pagePath, writer } from '../rfc-coverage/page.ts';
import type { SourceCheck } from './check-result.ts';

/** docs/reference/rfc-coverage.md is what its writer makes of the sources. */
export const rfcCoverage: SourceCheck = {
  name: 'RFC coverage',
  find(files) {
    const generated = pageOf(files).split('\n');
    const present = (files.find(({ path }) => path === pagePath)?.text ?? '').split('\n');
    const line = generated.findIndex((text, index) => text !== present[index]);
    if (line < 0 && generated.length === present.length) return [];
    const sentence = `a comment or a test title has changed what this page says: ${writer}`;
    return [{ path: pagePath, line: (line < 0 ? generated.length : line) + 1, sentence }];
  },
};
