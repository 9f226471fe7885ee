import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupsOf, nameOf } from './read-claims.ts';

describe('Claims of an identity provider', () => {
  it('the name is the verified address, else the preferred name, else the subject', () => {
    const claims = { sub: '42', email: 'ann@example.com', preferred_username: 'ann' };
    assert.equal(nameOf(claims), 'ann@example.com');
    assert.equal(nameOf({ ...claims, email_verified: false }), 'ann');
    assert.equal(nameOf({ sub: '42', email: 7, preferred_username: '' }), '42');
    assert.equal(nameOf({ sub: 'x'.repeat(900) }).length, 200);
  });

  it('groups are the texts of a list, or one text; other values are ignored', () => {
    assert.deepEqual(groupsOf(['a', 7, '', 'b', null]), ['a', 'b']);
    assert.deepEqual(groupsOf('desk'), ['desk']);
    for (const none of [undefined, null, 7, true, { desk: true }, '']) assert.deepEqual(groupsOf(none), []);
  });
});
