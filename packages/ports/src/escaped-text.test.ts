import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapedText } from './escaped-text.ts';

test('XML 1.0 §2.4: a text keeps no character that begins markup, and an entity in it stays text', () => {
  assert.equal(escapedText('a < b && "c" > d &amp;'), 'a &lt; b &amp;&amp; "c" &gt; d &amp;amp;');
});
