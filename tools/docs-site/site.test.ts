import assert from 'node:assert/strict';
import { test } from 'node:test';
import { highlightOnce } from './highlight-once.ts';
import { headOutsideScripts, inlineScripts } from './inline-scripts.ts';
import { outsidePath } from './outside-links.ts';

test('scripts inside a page move into one file, at the slot of the first', () => {
  const scripts = inlineScripts();
  const page =
    '<head><script src="/a.js"></script><script>one()</script><script id="x">two();</script></head>';
  assert.equal(
    headOutsideScripts(page, scripts, '/docs/guide/'),
    '<head><script src="/a.js"></script><script src="/docs/guide/before-paint.js"></script></head>',
  );
  headOutsideScripts(page, scripts, '/docs/guide/');
  assert.equal(scripts.text(), 'one();\ntwo();\n');
});

test('a script that is data cannot move, and stops the build', () => {
  assert.throws(() =>
    headOutsideScripts('<script type="application/json">{}</script>', inlineScripts(), '/'),
  );
});

test('a link out of docs/ is found, from any depth', () => {
  assert.equal(outsidePath('../packages/sip/README.md#x', 'streams.md'), 'packages/sip/README.md');
  assert.equal(outsidePath('../../deploy/', 'operate/run.md'), 'deploy/');
  for (const href of ['../glossary.md', '#x', 'https://example.org/', '/docs/', 'interface/calls.md']) {
    assert.equal(outsidePath(href, 'guides/streams.md'), undefined, href);
  }
});

test('a block of code is coloured once, and another one, or one of another language, by itself', () => {
  const asked: string[] = [];
  const markdown = {
    options: {
      highlight(text: string, language: string, attributes: string) {
        asked.push(`${language} ${text} ${attributes}`);
        return `<pre>${language}: ${text}</pre>`;
      },
    },
  };
  highlightOnce(markdown);
  const { highlight } = markdown.options;
  for (let n = 0; n < 3; n++) assert.equal(highlight('1', 'js', ''), '<pre>js: 1</pre>');
  assert.equal(highlight('1', 'ts', ''), '<pre>ts: 1</pre>');
  assert.equal(highlight('2', 'js', ''), '<pre>js: 2</pre>');
  assert.deepEqual(asked, ['js 1 ', 'ts 1 ', 'js 2 ']);
});
