import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonLines, syntaxProblem, withLines } from './json-lines.ts';

const text = `{
  "carriers": [
    { "name": "alpha",
      "caps": { "calls": 5 } },
    { "name": "beta",
      "prefixes": [
        { "prefix": "1" }, { "prefix": 2 }
      ] }
  ],
  "odd key": "é\\"\\u0041", "empty": {}, "none": []
}
`;

describe('the line of a value', () => {
  const lines = jsonLines(text);
  const lineOf = (path: string) => (lines.ok ? lines.lineOf(path) : assert.fail('it is JSON'));

  it('is found by its path', () => {
    for (const [path, line] of [
      ['carriers', 2],
      ['carriers[0]', 3],
      ['carriers[0].caps.calls', 4],
      ['carriers[1].prefixes[1].prefix', 7],
      ['empty', 10],
    ] as const) {
      assert.equal(lineOf(path), line, path);
    }
  });

  it('is that of the nearest object where the value is absent', () => {
    assert.equal(lineOf('carriers[0].caps.spend_per_hour'), 4);
    assert.equal(lineOf('carriers[1].host'), 5);
    assert.equal(lineOf('carriers[7].host'), 2);
    assert.equal(lineOf('rates'), undefined);
  });

  it('stands before sentences that begin with a path, and no others', () => {
    assert.deepEqual(withLines(text, ['carriers[1].name must be short', 'the document must be an object']), [
      'line 5: carriers[1].name must be short',
      'the document must be an object',
    ]);
  });
});

describe('a text that is no JSON', () => {
  it('is refused with the line and what is expected there, and without its values', () => {
    for (const [broken, problem] of [
      [
        '',
        'line 1: the list is no JSON: a value is expected: a text in double quotes, a number, true, false, null, { or [',
      ],
      ['{\n"a": 1\n"b": 2}', 'line 3: the list is no JSON: , or } is expected'],
      [
        '{\n"password": hunter2}',
        'line 2: the list is no JSON: a value is expected: a text in double quotes, a number, true, false, null, { or [',
      ],
      [
        '{"a": 1,\n}',
        'line 2: the list is no JSON: a name in double quotes is expected, without a comma before a }',
      ],
      ['[1,\n2', 'line 2: the list is no JSON: , or ] is expected'],
      ['{} {}', 'line 1: the list is no JSON: the end of the file is expected'],
      ['{"a" 1}', 'line 1: the list is no JSON: : is expected'],
      [
        '[01]',
        'line 1: the list is no JSON: a value is expected: a text in double quotes, a number, true, false, null, { or [',
      ],
    ] as const) {
      assert.throws(() => JSON.parse(broken));
      assert.equal(syntaxProblem(broken, 'the list'), problem);
    }
  });

  it('is refused by its depth before the stack ends', () => {
    assert.match(syntaxProblem('['.repeat(100_000), 'it'), /at most 200 levels/);
  });

  it('is one for the platform where it is one for JSON.parse', () => {
    for (const each of [
      'null',
      '-1.5e+3',
      '"\\n"',
      '[[]]',
      '{"a":{"b":[1,{"c":null}]}}',
      ' \t\r\n1 ',
      '01',
      '+1',
      "'a'",
      '"\t"',
      '[,]',
      '1.',
      'nul',
      '{"a":}',
      '"\u007f"',
    ]) {
      let isJson = true;
      try {
        JSON.parse(each);
      } catch {
        isJson = false;
      }
      assert.equal(jsonLines(each).ok, isJson, each);
    }
  });
});
