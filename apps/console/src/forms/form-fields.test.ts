import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  newAddressList,
  newApplication,
  newEndpoint,
  newSandboxCall,
  newVerifyApp,
} from '@jackfield/contract';
import { bodyOf, fieldsOf, textsOf } from './form-fields.ts';

const fieldNamed = (schema: object, name: string) => fieldsOf(schema).find((field) => field.name === name)!;

describe('Form fields of a schema', () => {
  it('a parameter becomes the field of its type, with its description, bounds and choices', () => {
    const kinds = fieldsOf(newEndpoint).map(({ name, kind, isRequired }) => [name, kind, isRequired]);
    assert.deepEqual(kinds, [
      ['username', 'text', true],
      ['password', 'secret', true],
      ['alias', 'text', true],
      ['app_id', 'text', false],
    ]);
    assert.equal(fieldNamed(newApplication, 'answer_url').kind, 'url');
    assert.equal(fieldNamed(newAddressList, 'ip_addresses').kind, 'lines');
    const { kind, minimum, maximum } = fieldNamed(newVerifyApp, 'code_expiry');
    assert.deepEqual([kind, minimum, maximum], ['number', 1, 60]);
    assert.deepEqual(fieldNamed(newSandboxCall, 'behaviour').choices, ['talk', 'silent', 'tone', 'echo']);
    assert.equal(fieldNamed(newSandboxCall, 'record').kind, 'boolean');
  });

  it('a body holds what was entered, in the types of the API', () => {
    const fields = fieldsOf(newSandboxCall);
    const values = { to: 'alice', behaviour: 'echo', hangup_after: '20', record: 'false', from: '' };
    assert.deepEqual(bodyOf(fields, values), {
      to: 'alice',
      behaviour: 'echo',
      hangup_after: 20,
      record: false,
    });
    assert.deepEqual(bodyOf(fieldsOf(newAddressList), { ip_addresses: ' 192.0.2.1 \n\n192.0.2.2' }), {
      ip_addresses: ['192.0.2.1', '192.0.2.2'],
    });
  });

  it('a change holds what differs alone, and a secret is never shown', () => {
    const fields = fieldsOf(newEndpoint);
    const known = textsOf(fields, { alias: 'alice', password: 'digest', app_id: null });
    assert.equal(known.password, '');
    assert.deepEqual(bodyOf(fields, { ...known, alias: 'bob' }, known), { alias: 'bob' });
  });
});
