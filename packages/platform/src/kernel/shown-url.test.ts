import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutSecrets } from './shown-url.ts';

test('a URL is shown without user, password, query and fragment', () => {
  assert.equal(withoutSecrets('https://a.example/b.mp3'), 'https://a.example/b.mp3');
  assert.equal(withoutSecrets('https://me:pass@a.example/b?key=1#x'), 'https://a.example/b');
  assert.equal(withoutSecrets('https://me:p@ss@a.example/b#x'), 'https://a.example/b');
  assert.equal(withoutSecrets('//me@a.example'), '//a.example');
  assert.equal(withoutSecrets('no\nurl at all'), 'no_url_at_all');
  assert.equal(withoutSecrets(`https://a.example/${'x'.repeat(300)}`).length, 201);
});
