import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageOf, pagePath } from '../rfc-coverage/page.ts';
import { rfcCoverage } from './rfc-coverage.ts';

const source = { path: 'packages/sip/src/a.ts', text: '// RFC 3261 §7.1\n' };
const page = { path: pagePath, text: pageOf([source]) };

test('the page of coverage is what its writer makes of the sources', () => {
  assert.deepEqual(rfcCoverage.find([source, page]), []);
  assert.equal(rfcCoverage.find([source]).length, 1);
  assert.equal(rfcCoverage.find([{ ...source, text: '// RFC 3261 §7.2\n' }, page])[0]?.line, 9);
  assert.equal(rfcCoverage.find([source, { ...page, text: `${page.text}more\n` }]).length, 1);
});
