import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskText } from './masked-text.ts';

test('comments, strings and regular expressions are blanked, offsets stay', () => {
  const text = "const a = 'x // y'; // said\nconst b = /['\"`]/.test(c) / 2; /* d\n e */ f;\n";
  const { code, withoutComments } = maskText(text);
  assert.equal(code.length, text.length);
  assert.equal(code.split('\n').length, text.split('\n').length);
  assert.match(code, /const a = ' {6}';/);
  assert.match(code, /\/ {5}\/\.test\(c\) \/ 2;/);
  assert.match(withoutComments, /'x \/\/ y'/);
  assert.doesNotMatch(withoutComments, /said| d| e /);
  assert.match(code, /f;/);
});

test('code inside a template literal is seen, its text is not', () => {
  const { code } = maskText('const a = `before ${call({ b: `in ${deep} ner` })} after`; last();');
  assert.match(code, /call\(\{ b: /);
  assert.match(code, /deep/);
  assert.match(code, /last\(\)/);
  assert.doesNotMatch(code, /before|in |ner|after/);
});

test('an escaped quote does not end a string and a division is no regular expression', () => {
  const { code } = maskText("const a = 'it\\'s'; const b = total / count; const c = 'x' / 'y'; end();");
  assert.match(code, /total \/ count;/);
  assert.match(code, /end\(\)/);
  assert.doesNotMatch(code, /it|s'/);
});

test('a regular expression after return is one', () => {
  const { code } = maskText("return /'/.test(a);\nb('x');");
  assert.match(code, /b\(' '\)/);
});
