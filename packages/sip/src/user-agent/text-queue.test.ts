import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextQueue } from './text-queue.ts';

test('Texts of one character per byte are read as they were pushed, over many chunks, until they are shifted', () => {
  const queue = new TextQueue();
  const waiting: [position: number, text: string][] = [];
  for (let count = 0; count < 6_000; count += 1) {
    const text = `${count} ${'\xff\0ü\r\n'.repeat(count % 200)}`;
    const position = queue.push(text);
    assert.ok(position !== undefined && position >= 0);
    waiting.push([position, text]);
    if (count < 3_000 || count % 3 === 0) continue;
    queue.shift();
    waiting.shift();
    for (const [at, kept] of [waiting[0]!, waiting.at(-1)!]) assert.equal(queue.read(at), kept);
  }
  for (const [at, kept] of waiting) assert.equal(queue.read(at), kept);
  for (const _ of waiting) queue.shift();
  assert.equal(queue.read(queue.push('the next one')!), 'the next one');
});

test('A text that fits into no chunk is refused, and the queue goes on', () => {
  const queue = new TextQueue();
  assert.equal(queue.push('x'.repeat(100_000)), undefined);
  assert.equal(queue.read(queue.push('x'.repeat(65_535))!).length, 65_535);
});

test('Positions stay unique and readable when the numbers of the chunks begin anew', () => {
  const queue = new TextQueue();
  // A chunk holds three of these: 9,000 chunks, of which 8,192 have a number.
  const long = 'x'.repeat(85_000);
  let kept: [position: number, text: string] | undefined;
  for (let count = 0; count < 9_000; count += 1) {
    const text = `${count}${long}`;
    const position = queue.push(text)!;
    if (kept !== undefined) {
      assert.notEqual(position, kept[0]);
      queue.shift();
    }
    kept = [position, text];
    if (count % 500 === 0 || count > 8_150) assert.equal(queue.read(position), text);
  }
});
