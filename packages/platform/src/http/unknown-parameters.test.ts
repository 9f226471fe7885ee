import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eachDatabase, openSimulatedWorld } from '@jackfield/testkit';
import { unknownParameters } from './unknown-parameters.ts';

const members = { from: {}, to: {}, answer_url: {}, ring_url: {} };
const known = { properties: members };

describe('Members of a body that an operation does not know', () => {
  test('a misspelt name is refused with the name that was meant', () => {
    for (const slip of ['answer_ur', 'anwser_url', 'answerUrl', 'ANSWER_URL']) {
      const { refusal } = unknownParameters({ from: '1', [slip]: 'x' }, known);
      assert.equal(refusal?.sentence, `${slip} is not a parameter: did you mean answer_url?`);
    }
  });

  test('a name that is like no other is ignored with a warning that names it', () => {
    assert.deepEqual(unknownParameters({ to: '1', favourite_colour: 'red' }, known), {
      warnings: ['favourite_colour is not a parameter and was ignored'],
    });
  });

  test('names that clients of the hosted service send are not misspelt names', () => {
    const { refusal, warnings } = unknownParameters(
      { is_voice_request: true, url: 'x', callback_url: 'y' },
      { properties: { ...members, urls: {} } },
    );
    assert.equal(refusal, undefined);
    assert.equal(warnings.length, 3);
  });

  test('a name inside of an object or of the objects of a list is refused, or warned of, with its path', () => {
    const sample = { properties: { jitter_ms: {}, mos: {} } };
    const nested = { properties: { per: { properties: { voice: {} } }, samples: { items: sample } } };
    const { refusal } = unknownParameters({ per: { voise: {} } }, nested);
    assert.equal(refusal?.sentence, 'per.voise is not a parameter: did you mean voice?');
    const samples = [{ jitter_ms: 1, colour: 2 }, { mos: 3, colour: 4 }, 'text', null];
    assert.deepEqual(unknownParameters({ per: { voice: { x: 1 } }, samples }, nested).warnings, [
      'samples.colour is not a parameter and was ignored',
    ]);
    assert.deepEqual(unknownParameters({ per: 'text', samples: {} }, nested).warnings, []);
  });

  test('warnings are bounded in number and length, and hold no control characters', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x${at}`.padEnd(300, '\n'), 1]));
    const { warnings } = unknownParameters(many, known);
    assert.equal(warnings.length, 21);
    assert.equal(warnings.at(-1), '480 more parameters were ignored');
    for (const warning of warnings) assert.ok(warning.length < 120 && !warning.includes('\n'));
  });
});

eachDatabase('Unknown parameters', (open) => {
  test('are answered with a warning beside the result, or refused before anything is done', async () => {
    const world = await openSimulatedWorld({ database: open });
    const body = { username: 'alice', password: 'secret', alias: 'alice' };
    const warned = await world.call('POST', 'Endpoint/', { body: { ...body, colour: 'red' } });
    assert.deepEqual(
      [warned.status, warned.body.warnings],
      [201, ['colour is not a parameter and was ignored']],
    );
    const plain = await world.call('POST', 'Endpoint/', { body });
    assert.ok(!('warnings' in plain.body));
    const { alias: _, ...rest } = body;
    const refused = await world.call('POST', 'Endpoint/', { body: { ...rest, aliass: 'alice' } });
    assert.deepEqual(
      [refused.status, refused.body.error],
      [400, 'aliass is not a parameter: did you mean alias?'],
    );
    assert.equal((await world.call('GET', 'Endpoint/')).body.meta.total_count, 2);
    const misspelt = { per: { voice: { outgoing_alow: true } } };
    const token = await world.call('POST', 'JWT/Token/', { body: misspelt });
    assert.deepEqual(
      [token.status, token.body.error],
      [400, 'per.voice.outgoing_alow is not a parameter: did you mean outgoing_allow?'],
    );
  });
});
