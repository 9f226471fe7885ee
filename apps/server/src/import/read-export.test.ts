import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExport } from './read-export.ts';

const application = { app_id: '1', app_name: 'reception', answer_url: 'https://a.example/' };

function problemsOf(content: unknown): readonly string[] {
  const read = readExport(typeof content === 'string' ? content : JSON.stringify(content));
  assert.ok(!read.ok, 'accepted');
  return read.problems;
}

test('objects come in the order in which they can refer to one another', () => {
  const read = readExport(
    JSON.stringify({
      numbers: [{ number: '442079460100', application: '/v1/Account/MA1/Application/1/', trunk_id: null }],
      applications: { meta: { next: null }, objects: [application] },
    }),
  );
  assert.ok(read.ok);
  assert.deepEqual(
    read.objects.map(({ section, path, from }) => [section, path, from]),
    [
      ['applications', 'applications.objects[0]', '1'],
      ['numbers', 'numbers[0]', '442079460100'],
    ],
  );
});

test('members that Jackfield does not have are named once', () => {
  const numbers = ['1', '2'].map((number) => ({ number, monthly_rental_rate: '0.8', voice_enabled: true }));
  const read = readExport(JSON.stringify({ numbers }));
  assert.ok(read.ok);
  assert.deepEqual(read.warnings, [
    'numbers[].monthly_rental_rate is not imported: Jackfield has no such setting',
  ]);
});

test('a mistake is refused with its path, its value and what is allowed', () => {
  for (const [content, sentence] of [
    ['{"applications": [}', /^it is no JSON: a value is expected/],
    ['[]', /^it must be an object with applications, endpoints, /],
    ['{}', /^it holds no object: /],
    [{ phones: [] }, /^phones is not imported: it must be an object with applications/],
    [
      { trunks: 'none' },
      /^trunks must be a list of objects, or an answer of the API with objects, not "none"$/,
    ],
    [{ endpoints: { objects: 1 } }, /^endpoints\.objects must be a list of objects, .* not 1$/],
    [
      { applications: { meta: { next: '/v1/Account/MA1/Application/?offset=20' }, objects: [application] } },
      /^applications\.meta\.next is "\/v1.*put the objects of every page into one list$/,
    ],
    [{ applications: [7] }, /^applications\[0\] must be an object, not 7$/],
    [
      { applications: [{ app_name: 'a' }] },
      /^applications\[0\]\.app_id must be the identifier .* not absent$/,
    ],
    [
      { applications: [application, application] },
      /^applications\[1\]\.app_id is "1", like that of applications\[0\]/,
    ],
    [{ applications: [{ ...application, enabled: false }] }, /^applications\[0\]\.enabled is false/],
    [
      { applications: [{ ...application, sub_account: '/v1/Account/SA1/' }] },
      /^applications\[0\]\.sub_account is "\/v1\/Account\/SA1\/", but every object goes to one account/,
    ],
    [
      {
        applications: [
          { ...application, default_app: true },
          { ...application, app_id: '2', default_app: 'true' },
        ],
      },
      /^applications\[1\]\.default_app is true, like that of applications\[0\]/,
    ],
    [{ endpoints: [{ endpoint_id: '1', username: 5 }] }, /^endpoints\[0\]\.username must be a text, not 5$/],
    [
      {
        applications: [application],
        numbers: [{ number: '1', application: '/v1/Account/MA1/Application/9/' }],
      },
      /^numbers\[0\]\.application is "\/v1.*\/9\/": applications of this file has 1; null for none$/,
    ],
    [
      { numbers: [{ number: '1', trunk_id: '7' }] },
      /^numbers\[0\]\.trunk_id is "7": this file has no trunks; null/,
    ],
  ] as const) {
    const problems = problemsOf(content);
    assert.equal(problems.length, 1, problems.join('\n'));
    assert.match(problems[0]!.replace(/^line 1: /, ''), sentence);
  }
});

test('a mistake is refused with its line', () => {
  const [problem] = problemsOf('{\n  "numbers": [\n    { "number": "1",\n      "trunk_id": "7" } ] }');
  assert.match(problem!, /^line 4: numbers\[0\]\.trunk_id is "7"/);
});

test('every mistake of the file is reported together', () => {
  assert.equal(problemsOf({ phones: [], trunks: 1, applications: [2] }).length, 3);
});
